//! Owns the words that excuse a value from being a credential: those that programs are made of, and
//! names that say it is something else.

/// Pieces of names that say the value is public, or about something else.
const PUBLIC: &str = "\
    accessibility accessor access_id access-id api_version api-version api_name rapid capital author \
    primary_key primary-key foreign_key foreign-key public_key public-key publickey natural_key \
    bucket_key keyboard keyword keycode key_code key_name keyname key_id key-id keyid key_length \
    key_size keypress keyframe key_file monkey token_file token_url token_uri api_url api_uri \
    api_endpoint token_endpoint csrf_token csrf-token csrftoken secret_name secret_length secret_size \
    credentials_id credential_id";

/// Words that programs are made of, in the singular.
const PROGRAM: &str = "\
    account action address admin agent array author back base block build button cache call change check \
    class client code command comment commit config connect content context control create current \
    custom data database date define delete design device display document download edit element email \
    engine error event example export field file filter find first format function github group handler \
    hash help history host html http image import index info input install json language last level \
    library line link list load local lock login mail make manager memory message method mode model \
    module name native network node note number object option output package page parse password path \
    pattern process profile project provider python query queue read release remote report request \
    resource response review schema script search select server service session setting simple source \
    start state status storage store string style system table task template text time tool type update \
    upload user util value version view widget window word work write";

/// Whether a name says that its value is no credential.
pub(super) fn name(name: &[u8]) -> bool {
    let lower = name.to_ascii_lowercase();
    PUBLIC.split(' ').any(|word| lower.windows(word.len()).any(|part| part == word.as_bytes()))
}

/// Whether a whole piece of the value is such a word. Pieces end at signs, digits and capitals.
pub(super) fn value(value: &[u8]) -> bool {
    let mut piece = alloc::vec::Vec::new();
    let mut previous = 0_u8;
    let known = |piece: &[u8]| {
        let singular = piece.strip_suffix(b"s").unwrap_or(piece);
        PROGRAM.split(' ').any(|word| word.as_bytes() == piece || word.as_bytes() == singular)
    };
    for byte in value {
        let letter = byte.is_ascii_alphabetic();
        if !letter || byte.is_ascii_uppercase() && previous.is_ascii_lowercase() {
            if known(&piece) {
                return true;
            }
            piece.clear();
        }
        if letter {
            piece.push(byte.to_ascii_lowercase());
        }
        previous = *byte;
    }
    known(&piece)
}
