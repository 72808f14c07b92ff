"""The words of SPEC.md section 22 and the one exception that carries them."""

WORDS = (
    "truncated",
    "trailing",
    "bad_magic",
    "unsupported_version",
    "unknown_number",
    "reserved_not_zero",
    "too_large",
    "not_canonical",
    "bad_body",
    "check_mismatch",
    "bad_value",
    "not_opened",
)


class FormatError(Exception):
    """Bytes that the format refuses. `word` says why in the format's terms, `detail` in a sentence."""

    def __init__(self, word: str, detail: str) -> None:
        super().__init__(f"{word}: {detail}")
        self.word = word
        self.detail = detail
