"""Primitives against published vectors, and against a second way of computing the same."""

import hashlib
import random
import unittest

import blake3
import ed25519
import merkle
import xchacha
from intervals import Intervals

# The reference set of BLAKE3: input bytes 0..250 repeating; hash, keyed hash, derived key, 32 bytes of each.
BLAKE3_KEY = b"whats the Elvish word for friend"
BLAKE3_CONTEXT = "BLAKE3 2019-12-27 16:29:52 test vectors context"
BLAKE3_VECTORS = {
    0: (
        "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
        "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26",
        "2cc39783c223154fea8dfb7c1b1660f2ac2dcbd1c1de8277b0b0dd39b7e50d7d",
    ),
    1: (
        "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213",
        "6d7878dfff2f485635d39013278ae14f1454b8c0a3a2d34bc1ab38228a80c95b",
        "b3e2e340a117a499c6cf2398a19ee0d29cca2bb7404c73063382693bf66cb06c",
    ),
    2: (
        "7b7015bb92cf0b318037702a6cdd81dee41224f734684c2c122cd6359cb1ee63",
        "5392ddae0e0a69d5f40160462cbd9bd889375082ff224ac9c758802b7a6fd20a",
        "1f166565a7df0098ee65922d7fea425fb18b9943f19d6161e2d17939356168e6",
    ),
    3: (
        "e1be4d7a8ab5560aa4199eea339849ba8e293d55ca0a81006726d184519e647f",
        "39e67b76b5a007d4921969779fe666da67b5213b096084ab674742f0d5ec62b9",
        "440aba35cb006b61fc17c0529255de438efc06a8c9ebf3f2ddac3b5a86705797",
    ),
    63: (
        "e9bc37a594daad83be9470df7f7b3798297c3d834ce80ba85d6e207627b7db7b",
        "bb1eb5d4afa793c1ebdd9fb08def6c36d10096986ae0cfe148cd101170ce37ae",
        "b6451e30b953c206e34644c6803724e9d2725e0893039cfc49584f991f451af3",
    ),
    64: (
        "4eed7141ea4a5cd4b788606bd23f46e212af9cacebacdc7d1f4c6dc7f2511b98",
        "ba8ced36f327700d213f120b1a207a3b8c04330528586f414d09f2f7d9ccb7e6",
        "a5c4a7053fa86b64746d4bb688d06ad1f02a18fce9afd3e818fefaa7126bf73e",
    ),
    65: (
        "de1e5fa0be70df6d2be8fffd0e99ceaa8eb6e8c93a63f2d8d1c30ecb6b263dee",
        "c0a4edefa2d2accb9277c371ac12fcdbb52988a86edc54f0716e1591b4326e72",
        "51fd05c3c1cfbc8ed67d139ad76f5cf8236cd2acd26627a30c104dfd9d3ff8a8",
    ),
    1023: (
        "10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11",
        "c951ecdf03288d0fcc96ee3413563d8a6d3589547f2c2fb36d9786470f1b9d6e",
        "74a16c1c3d44368a86e1ca6df64be6a2f64cce8f09220787450722d85725dea5",
    ),
    1024: (
        "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7",
        "75c46f6f3d9eb4f55ecaaee480db732e6c2105546f1e675003687c31719c7ba4",
        "7356cd7720d5b66b6d0697eb3177d9f8d73a4a5c5e968896eb6a689684302706",
    ),
    1025: (
        "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444",
        "357dc55de0c7e382c900fd6e320acc04146be01db6a8ce7210b7189bd664ea69",
        "effaa245f065fbf82ac186839a249707c3bddf6d3fdda22d1b95a3c970379bcb",
    ),
    2048: (
        "e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a",
        "879cf1fa2ea0e79126cb1063617a05b6ad9d0b696d0d757cf053439f60a99dd1",
        "7b2945cb4fef70885cc5d78a87bf6f6207dd901ff239201351ffac04e1088a23",
    ),
    2049: (
        "5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030",
        "9f29700902f7c86e514ddc4df1e3049f258b2472b6dd5267f61bf13983b78dd5",
        "2ea477c5515cc3dd606512ee72bb3e0e758cfae7232826f35fb98ca1bcbdf273",
    ),
    3073: (
        "7124b49501012f81cc7f11ca069ec9226cecb8a2c850cfe644e327d22d3e1cd3",
        "68dede9bef00ba89e43f31a6825f4cf433389fedae75c04ee9f0cf16a427c95a",
        "72613c9ec9ff7e40f8f5c173784c532ad852e827dba2bf85b2ab4b76f7079081",
    ),
    7169: (
        "a003fc7a51754a9b3c7fae0367ab3d782dccf28855a03d435f8cfe74605e7817",
        "ed9b1a922c046fdb3d423ae34e143b05ca1bf28b710432857bf738bcedbfa511",
        "554b0a5efea9ef183f2f9b931b7497995d9eb26f5c5c6dad2b97d62fc5ac31d9",
    ),
    31744: (
        "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47",
        "efa53b389ab67c593dba624d898d0f7353ab99e4ac9d42302ee64cbf9939a419",
        "39772aef80e0ebe60596361e45b061e8f417429d529171b6764468c22928e28e",
    ),
    102400: (
        "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085",
        "1c35d1a5811083fd7119f5d5d1ba027b4d01c0c6c49fb6ff2cf75393ea5db4a7",
        "4652cff7a3f385a6103b5c260fc1593e13c778dbe608efb092fe7ee69df6e9c6",
    ),
}
BLAKE3_LONG = (
    "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444f4c4a22b4b399155358a994e52bf255de60035742ec71bd08ac"
    "275a1b51cc6bfe332b0ef84b409108cda080e6269ed4b3e2c3f7d722aa4cdc98d16deb554e5627be8f955c98e1d5f9565a9194cad0c4285f937"
    "00062d9595adb992ae68ff12800ab67a"
)


def pattern(length: int) -> bytes:
    return bytes(i % 251 for i in range(length))


class Blake3(unittest.TestCase):
    def test_reference_set(self) -> None:
        for length, (plain, keyed, derived) in BLAKE3_VECTORS.items():
            with self.subTest(length=length):
                data = pattern(length)
                self.assertEqual(blake3.hash(data).hex(), plain)
                self.assertEqual(blake3.keyed(BLAKE3_KEY, data).hex(), keyed)
                self.assertEqual(blake3.derive(BLAKE3_CONTEXT, data).hex(), derived)

    def test_extendable_output(self) -> None:
        self.assertEqual(blake3.hash(pattern(1025), 131).hex(), BLAKE3_LONG)
        for length in (0, 1, 31, 32, 33, 64, 65, 130):
            self.assertEqual(blake3.hash(pattern(1025), length).hex(), BLAKE3_LONG[: 2 * length])

    def test_many_at_once_are_each_alone(self) -> None:
        random_bytes = random.Random(1).randbytes
        lengths = [0, 1, 63, 64, 65, 1023, 1024, 1025, 2048, 2049, 5000, 0, 64, 1024, 17000] + list(range(0, 2600, 53))
        inputs = [random_bytes(length) for length in lengths]
        self.assertEqual(blake3.hash_many(inputs), [blake3.hash(data) for data in inputs])
        self.assertEqual(blake3.derive_many("c", inputs), [blake3.derive("c", data) for data in inputs])
        self.assertEqual(blake3.hash_many([]), [])

    def test_more_inputs_than_lanes(self) -> None:
        inputs = [pattern(i % 97) for i in range(1100)]
        alone = {i: blake3.hash(pattern(i)) for i in range(97)}
        self.assertEqual(blake3.hash_many(inputs), [alone[i % 97] for i in range(1100)])

    def test_a_key_has_32_bytes(self) -> None:
        self.assertRaises(ValueError, blake3.keyed, bytes(31), b"")

    def test_every_bit_counts(self) -> None:
        base = blake3.hash(bytes(1100))
        flipped = []
        for i in range(0, 1100, 7):
            data = bytearray(1100)
            data[i] ^= 1 << i % 8
            flipped.append(bytes(data))
        self.assertEqual(len({base, *blake3.hash_many(flipped)}), len(flipped) + 1)


class XChaCha(unittest.TestCase):
    """Vectors of draft-irtf-cfrg-xchacha-03 and RFC 8439."""

    SUNSCREEN = (
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would "
        b"be it."
    )
    KEY = bytes(range(0x80, 0xA0))
    NONCE = bytes(range(0x40, 0x58))
    ASSOCIATED = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
    SEALED = bytes.fromhex(
        "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216"
        "cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f615c68b13"
        "b52ec0875924c1c7987947deafd8780acf49"
    )

    def test_hchacha20(self) -> None:
        out = xchacha.hchacha20(bytes(range(32)), bytes.fromhex("000000090000004a0000000031415927"))
        self.assertEqual(out.hex(), "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc")

    def test_chacha20_block(self) -> None:
        out = xchacha.chacha20_stream(bytes(range(32)), bytes.fromhex("000000090000004a00000000"), 1, 64)
        expected = (
            "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4ed2826446079faa0914c2d705d98b02a2b5129cd1de164eb9"
            "cbd083e8a2503c4e"
        )
        self.assertEqual(out.hex(), expected)

    def test_streams_of_many_blocks(self) -> None:
        key, nonce = bytes(range(32)), bytes(range(12))
        whole = xchacha.chacha20_stream(key, nonce, 7, 600 * 64 + 5)
        parts = b"".join(xchacha.chacha20_stream(key, nonce, 7 + i, 64) for i in range(0, 601))
        self.assertEqual(whole, parts[: len(whole)])

    def test_poly1305(self) -> None:
        key = bytes.fromhex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
        tag = xchacha.poly1305(key, b"Cryptographic Forum Research Group")
        self.assertEqual(tag.hex(), "a8061dc1305136c6c22b8baf0c0127a9")

    def test_poly1305_at_its_edges(self) -> None:
        """RFC 8439 appendix A.3, numbers 1, 7, 8 and 9."""
        cases = (
            ("00" * 32, "00" * 64, "00" * 16),
            ("02" + "00" * 31, "ff" * 16, "03" + "00" * 15),
            ("02" + "00" * 15 + "ff" * 16, "02" + "00" * 15, "03" + "00" * 15),
            ("01" + "00" * 31, "ff" * 16 + "f0" + "ff" * 15 + "11" + "00" * 15, "05" + "00" * 15),
        )
        for key, message, tag in cases:
            self.assertEqual(xchacha.poly1305(bytes.fromhex(key), bytes.fromhex(message)).hex(), tag)

    def test_aead(self) -> None:
        sealed = xchacha.seal(self.KEY, self.NONCE, self.SUNSCREEN, self.ASSOCIATED)
        self.assertEqual(sealed, self.SEALED)
        self.assertEqual(xchacha.open_sealed(self.KEY, self.NONCE, sealed, self.ASSOCIATED), self.SUNSCREEN)

    def test_nothing_else_opens(self) -> None:
        sealed = xchacha.seal(self.KEY, self.NONCE, b"text", b"more")
        for i in range(len(sealed)):
            changed = bytearray(sealed)
            changed[i] ^= 1
            self.assertIsNone(xchacha.open_sealed(self.KEY, self.NONCE, bytes(changed), b"more"))
        self.assertIsNone(xchacha.open_sealed(self.KEY, self.NONCE, sealed, b"less"))
        self.assertIsNone(xchacha.open_sealed(bytes(32), self.NONCE, sealed, b"more"))
        self.assertIsNone(xchacha.open_sealed(self.KEY, bytes(24), sealed, b"more"))
        self.assertIsNone(xchacha.open_sealed(self.KEY, self.NONCE, sealed[:15], b"more"))


class Ed25519(unittest.TestCase):
    """RFC 8032 section 7.1, tests 1 to 3."""

    VECTORS = (
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
            "655141438e7a100b",
        ),
        (
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aee"
            "b00d291612bb0c00",
        ),
        (
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28d"
            "c027beceea1ec40a",
        ),
    )

    def test_published(self) -> None:
        for key, message, signature in self.VECTORS:
            self.assertTrue(ed25519.verify(*map(bytes.fromhex, (key, message, signature))))

    def test_refused(self) -> None:
        key, message, signature = map(bytes.fromhex, self.VECTORS[2])
        self.assertFalse(ed25519.verify(key, message + b"x", signature))
        self.assertFalse(ed25519.verify(key, message, signature[:-1]))
        self.assertFalse(ed25519.verify(key[:-1], message, signature))
        for i in (0, 31, 32, 63):
            changed = bytearray(signature)
            changed[i] ^= 1
            self.assertFalse(ed25519.verify(key, message, bytes(changed)))

    def test_a_scalar_over_the_order(self) -> None:
        key, message, signature = map(bytes.fromhex, self.VECTORS[2])
        order = 2**252 + 27742317777372353535851937790883648493
        scalar = int.from_bytes(signature[32:], "little") + order
        self.assertFalse(ed25519.verify(key, message, signature[:32] + scalar.to_bytes(32, "little")))

    def test_no_point(self) -> None:
        key, message, signature = map(bytes.fromhex, self.VECTORS[0])
        self.assertFalse(ed25519.verify(b"\xff" * 32, message, signature))
        self.assertFalse(ed25519.verify(b"\x02" + bytes(31), message, signature))


class Merkle(unittest.TestCase):
    def test_the_frontier_is_the_definition(self) -> None:
        leaves = [merkle.leaf_hash(bytes([i])) for i in range(70)]
        tree = merkle.Frontier()
        for i, leaf in enumerate(leaves):
            self.assertEqual(tree.root(), merkle.root_by_definition(leaves[:i]))
            tree.push(leaf)
        self.assertEqual(tree.root(), merkle.root_by_definition(leaves))

    def test_empty(self) -> None:
        self.assertEqual(merkle.Frontier().root(), hashlib.sha256(b"").digest())

    def test_a_frontier_has_as_many_nodes_as_one_bits(self) -> None:
        self.assertRaises(ValueError, merkle.Frontier, 3, [bytes(32)])


class IntervalSets(unittest.TestCase):
    def test_against_sets_of_numbers(self) -> None:
        choose = random.Random(5)
        for _ in range(300):
            pairs = []
            for _ in range(2):
                found = Intervals()
                expected: set[int] = set()
                for _ in range(choose.randrange(12)):
                    first = choose.randrange(40)
                    last = first + choose.choice((0, 0, 1, 5))
                    found.add(first, last)
                    expected.update(range(first, last + 1))
                pairs.append((found, expected))
            (a, in_a), (b, in_b) = pairs
            for found, expected in ((a, in_a), (a.common(b), in_a & in_b), (a.without(b), in_a - in_b)):
                self.assertEqual({n for first, last in found for n in range(first, last + 1)}, expected)
                self.assertEqual(found.count(), len(expected))
                self.assertEqual(found.numbers(3), sorted(expected)[:3])
                self.assertTrue(all(n in found for n in expected))
                self.assertFalse(any(n in found for n in set(range(50)) - expected))


if __name__ == "__main__":
    unittest.main()
