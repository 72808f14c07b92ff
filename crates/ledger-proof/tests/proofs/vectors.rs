//! Published vectors.

use ledger_format::TreeRoot;
use ledger_format::tree::Frontier;
use ledger_proof::merkle::{Gatherer, check_consistency, check_inclusion};
use ledger_proof::{Note, ProofError, VerifierKey};

/// The eight leaves of the tests that implementations of RFC 6962 share (merkle_tree_test of Google's
/// certificate-transparency repository).
const LEAVES: [&str; 8] = [
    "",
    "00",
    "10",
    "2021",
    "3031",
    "40414243",
    "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
];
const ROOTS: [&str; 8] = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

fn bytes(hex: &str) -> Vec<u8> {
    let pair = |two: &[u8]| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap();
    hex.as_bytes().chunks(2).map(pair).collect()
}

fn hash(hex: &str) -> [u8; 32] {
    bytes(hex).try_into().unwrap()
}

#[test]
fn roots_are_the_published_ones() {
    let mut tree = Frontier::new();
    for (record, root) in LEAVES.iter().zip(ROOTS) {
        tree.push(&bytes(record));
        assert_eq!(tree.root(), TreeRoot(hash(root)));
    }
}

/// From the same tests: (index, size) with the audit path.
#[test]
fn audit_paths_are_the_published_ones() {
    let paths: [((u64, u64), &[&str]); 3] = [
        (
            (0, 8),
            &[
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ],
        ),
        (
            (5, 8),
            &[
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ],
        ),
        ((2, 3), &["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
    ];
    for ((index, size), path) in paths {
        let path: Vec<_> = path.iter().map(|hex| hash(hex)).collect();
        let at = |number: u64| usize::try_from(number).unwrap();
        let root = TreeRoot(hash(ROOTS[at(size) - 1]));
        check_inclusion(&bytes(LEAVES[at(index)]), index, size, &root, &path).unwrap();
        let mut made = Gatherer::inclusion(index, size).unwrap();
        (0..size).for_each(|n| made.push(n, &bytes(LEAVES[at(n)])));
        assert_eq!(made.finish().unwrap(), path);
    }
}

/// From the same tests: (old, new) with the consistency proof.
#[test]
fn consistency_proofs_are_the_published_ones() {
    let path = [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]
    .map(hash);
    let (old, new) = (TreeRoot(hash(ROOTS[5])), TreeRoot(hash(ROOTS[7])));
    check_consistency((6, &old), (8, &new), &path).unwrap();
    check_consistency((1, &TreeRoot(hash(ROOTS[0]))), (1, &TreeRoot(hash(ROOTS[0]))), &[]).unwrap();
}

/// From the tests of golang.org/x/mod/sumdb/note.
#[test]
fn the_signed_notes_of_go_verify() {
    let note = "If you think cryptography is the answer to your problem,\n\
        then you don't know what your problem is.\n\
        \n\
        \u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n\
        \u{2014} EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n";
    let read = Note::parse(note.as_bytes()).unwrap();
    assert_eq!(read.to_string(), note);
    for typed in [
        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop",
    ] {
        let key: VerifierKey = typed.parse().unwrap();
        assert_eq!(key.to_string(), typed);
        let line = read.signatures().iter().find(|line| key.claims(line)).unwrap();
        assert!(key.verifies(read.text().as_bytes(), line.bytes()));
        assert!(!key.verifies(b"another text\n", line.bytes()));
    }
    let changed = "PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    assert!(matches!(changed.parse::<VerifierKey>(), Err(ProofError::Malformed { .. })));
}

/// The example of c2sp.org/tlog-cosignature: a log's signature and a witness's, as they are printed.
#[test]
fn the_example_of_a_cosigned_checkpoint_parses() {
    let text = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n\
        \u{2014} example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n\
        \u{2014} witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n";
    let read = ledger_proof::SignedCheckpoint::parse(text.as_bytes()).unwrap();
    assert_eq!(read.to_string(), text);
    assert_eq!(read.checkpoint().size, 20_852_163);
    let times = read.note().signatures().iter().map(|line| line.bytes().len());
    assert_eq!(times.collect::<Vec<_>>(), [64, 72], "a signature, and one after a time");
}
