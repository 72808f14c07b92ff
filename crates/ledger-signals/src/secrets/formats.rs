//! Owns the table of tokens that say what they are: a fixed piece of text and the alphabet and length
//! of what stands around it.
//!
//! Prefixes, alphabets and lengths are what the issuers document for their own secret scanning, or show
//! in their documentation of authentication. A shape asks for the least that a token has, so a longer
//! one is found too. `floor` is the entropy in hundredths of a bit per byte below which a string is
//! taken for a placeholder (`xxxx`); 0 where the shape alone is proof enough.

use crate::class::{
    ALNUM, BASE64, Class, DIGIT, HEX, NEWLINE, PADDED, Part, Part::Run, Part::Text, QUOTE, SPACE,
    TOKEN, UPPER, WORD, some,
};

/// A token that says what it is.
pub(crate) struct Format {
    pub(crate) rule: &'static str,
    /// What is looked for.
    pub(crate) anchor: &'static str,
    pub(crate) before: &'static [Part],
    pub(crate) after: &'static [Part],
    pub(crate) floor: u32,
    pub(crate) edge: Edge,
}

/// What must hold at the ends of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    /// Nothing.
    Open,
    /// No letter, digit or `_` before it.
    Left,
    /// That, nothing of a token behind it, and the anchor in exactly this case.
    Both,
}

const UPNUM: Class = UPPER.and(DIGIT);
const DOTTED: Class = PADDED.and(Class::one(b'.'));
const MANY: usize = 4096;

const fn lead(
    rule: &'static str,
    anchor: &'static str,
    after: &'static [Part],
    floor: u32,
) -> Format {
    Format { rule, anchor, before: &[], after, floor, edge: Edge::Open }
}

const fn word(
    rule: &'static str,
    anchor: &'static str,
    after: &'static [Part],
    floor: u32,
) -> Format {
    Format { rule, anchor, before: &[], after, floor, edge: Edge::Left }
}

const fn exact(
    rule: &'static str,
    anchor: &'static str,
    after: &'static [Part],
    floor: u32,
) -> Format {
    Format { rule, anchor, before: &[], after, floor, edge: Edge::Both }
}

const fn inner(
    rule: &'static str,
    before: &'static [Part],
    anchor: &'static str,
    after: &'static [Part],
    floor: u32,
) -> Format {
    Format { rule, anchor, before, after, floor, edge: Edge::Open }
}

/// Every format.
pub(crate) const FORMATS: &[Format] = &[
    // Clouds and hosting.
    exact("aws-access-key", "AKIA", &[some(UPNUM, 16)], 290),
    exact("aws-access-key", "ASIA", &[some(UPNUM, 16)], 290),
    exact("aws-access-key", "ABIA", &[some(UPNUM, 16)], 290),
    exact("aws-access-key", "ACCA", &[some(UPNUM, 16)], 290),
    exact("aws-access-key", "A3T", &[some(UPNUM, 17)], 290),
    word("aws-bedrock-key", "ABSK", &[Run(BASE64, 109, 269)], 290),
    lead("aws-bedrock-key", "bedrock-api-key-", &[Run(BASE64, 24, MANY)], 0),
    word("alibaba-access-key", "LTAI", &[some(ALNUM, 20)], 190),
    inner(
        "azure-client-secret",
        &[some(DOTTED.and(Class::one(b'~')), 3), some(DIGIT, 1)],
        "q~",
        &[Run(DOTTED.and(Class::one(b'~')), 31, 34)],
        290,
    ),
    lead("azure-storage-key", "accountkey=", &[Run(BASE64, 80, 90)], 300),
    lead("azure-shared-key", "sharedaccesskey=", &[Run(BASE64, 40, 90)], 300),
    word("google-api-key", "AIza", &[some(TOKEN, 35)], 390),
    word("google-client-secret", "GOCSPX-", &[some(TOKEN, 28)], 290),
    word("google-access-token", "ya29.", &[Run(TOKEN, 30, MANY)], 290),
    inner("cloudflare-origin-key", &[], "v1.0-", &[some(HEX, 24), Text("-"), some(HEX, 146)], 190),
    lead("digitalocean-token", "doo_v1_", &[some(HEX, 64)], 0),
    lead("digitalocean-token", "dop_v1_", &[some(HEX, 64)], 0),
    lead("digitalocean-token", "dor_v1_", &[some(HEX, 64)], 0),
    word("heroku-key", "HRKU-AA", &[some(TOKEN, 58)], 390),
    word("flyio-token", "fo1_", &[some(TOKEN, 43)], 390),
    word("flyio-token", "fm1a_", &[Run(BASE64, 100, MANY)], 390),
    word("flyio-token", "fm1r_", &[Run(BASE64, 100, MANY)], 390),
    word("flyio-token", "fm2_", &[Run(BASE64, 100, MANY)], 390),
    word("scalingo-token", "tk-us-", &[some(TOKEN, 48)], 190),
    word("openshift-token", "sha256~", &[some(TOKEN, 43)], 340),
    word("tailscale-key", "tskey-", &[Run(TOKEN, 20, 80)], 290),
    // Code hosts, registries, build services.
    lead("github-token", "ghp_", &[some(ALNUM, 36)], 290),
    lead("github-token", "gho_", &[some(ALNUM, 36)], 290),
    lead("github-token", "ghu_", &[some(ALNUM, 36)], 290),
    lead("github-token", "ghs_", &[some(ALNUM, 36)], 290),
    lead("github-token", "ghr_", &[some(ALNUM, 36)], 290),
    lead("github-token", "github_pat_", &[some(WORD, 82)], 290),
    lead("gitlab-token", "glpat-", &[some(TOKEN, 20)], 290),
    lead("gitlab-token", "gldt-", &[some(TOKEN, 20)], 290),
    lead("gitlab-token", "glrt-", &[some(TOKEN, 20)], 290),
    lead("gitlab-token", "glft-", &[some(TOKEN, 20)], 290),
    lead("gitlab-token", "glffct-", &[some(TOKEN, 20)], 290),
    lead("gitlab-token", "glsoat-", &[some(TOKEN, 20)], 290),
    lead("gitlab-token", "glimt-", &[some(TOKEN, 25)], 290),
    lead("gitlab-token", "glagent-", &[some(TOKEN, 50)], 290),
    lead("gitlab-token", "gloas-", &[some(TOKEN, 64)], 290),
    lead("gitlab-token", "glptt-", &[some(HEX, 40)], 290),
    lead("gitlab-token", "glcbt-", &[Run(ALNUM, 1, 5), Text("_"), some(TOKEN, 20)], 290),
    lead("gitlab-token", "GR1348941", &[some(TOKEN, 20)], 290),
    lead("gitlab-session", "_gitlab_session=", &[some(ALNUM, 32)], 290),
    word("npm-token", "npm_", &[some(ALNUM, 36)], 190),
    lead("pypi-token", "pypi-AgE", &[Run(TOKEN, 60, 1012)], 290),
    word("rubygems-key", "rubygems_", &[some(HEX, 48)], 190),
    lead("clojars-token", "CLOJARS_", &[some(ALNUM, 60)], 190),
    lead("docker-token", "dckr_pat_", &[Run(TOKEN, 27, 60)], 290),
    word("pulumi-token", "pul-", &[some(HEX, 40)], 190),
    word("infracost-key", "ico-", &[some(ALNUM, 32)], 290),
    word("prefect-token", "pnu_", &[some(ALNUM, 36)], 190),
    inner("terraform-token", &[some(ALNUM, 14)], ".atlasv1.", &[Run(PADDED, 60, 70)], 340),
    lead(
        "harness-key",
        "pat.",
        &[some(TOKEN, 22), Text("."), some(ALNUM, 24), Text("."), some(ALNUM, 20)],
        0,
    ),
    lead(
        "harness-key",
        "sat.",
        &[some(TOKEN, 22), Text("."), some(ALNUM, 24), Text("."), some(ALNUM, 20)],
        0,
    ),
    exact("octopus-key", "API-", &[some(UPNUM, 26)], 290),
    word("jfrog-key", "AKCp", &[some(ALNUM, 69)], 440),
    word("jfrog-token", "cmVmd", &[some(ALNUM, 59)], 440),
    lead("sonar-token", "squ_", &[some(HEX, 40)], 0),
    lead("sonar-token", "sqp_", &[some(HEX, 40)], 0),
    lead("sonar-token", "sqa_", &[some(HEX, 40)], 0),
    lead("sourcegraph-token", "sgp_", &[Run(HEX, 40, 40)], 0),
    lead("sourcegraph-token", "sgp_local_", &[some(HEX, 40)], 0),
    inner("sourcegraph-token", &[Text("sgp_"), some(HEX, 16)], "_", &[some(HEX, 40)], 0),
    lead("sentry-token", "sntrys_", &[Run(BASE64.and(PADDED), 60, 700)], 400),
    word("sentry-token", "sntryu_", &[some(HEX, 64)], 340),
    word("newrelic-key", "NRAK-", &[some(ALNUM, 27)], 0),
    word("newrelic-key", "NRII-", &[some(TOKEN, 32)], 0),
    word("newrelic-key", "NRJS-", &[some(HEX, 19)], 0),
    word("grafana-key", "eyJrIjoi", &[Run(ALNUM, 70, 400)], 290),
    word("grafana-token", "glc_", &[Run(BASE64, 32, 400)], 290),
    word("grafana-token", "glsa_", &[some(ALNUM, 32), Text("_"), some(HEX, 8)], 290),
    word("dynatrace-token", "dt0c01.", &[some(ALNUM, 24), Text("."), some(ALNUM, 64)], 390),
    word("postman-key", "PMAK-", &[some(HEX, 24), Text("-"), some(HEX, 34)], 290),
    word("readme-key", "rdme_", &[some(ALNUM, 70)], 190),
    word("linear-key", "lin_api_", &[some(ALNUM, 40)], 190),
    word("notion-token", "ntn_", &[some(DIGIT, 11), some(ALNUM, 35)], 390),
    word("figma-token", "figd_", &[Run(TOKEN, 40, 60)], 290),
    lead("frameio-token", "fio-u-", &[some(PADDED, 64)], 0),
    lead("atlassian-token", "ATATT3", &[some(PADDED, 186)], 340),
    lead("atlassian-token", "ATCTT3", &[Run(PADDED, 100, 220)], 340),
    inner("airtable-token", &[], "pat", &[some(ALNUM, 14), Text("."), some(HEX, 64)], 0),
    // Models.
    word("anthropic-key", "sk-ant-", &[Run(TOKEN, 80, 120)], 0),
    inner("openai-key", &[Run(TOKEN, 20, 160)], "T3BlbkFJ", &[Run(TOKEN, 20, 160)], 250),
    word("openai-key", "sk-proj-", &[Run(TOKEN, 40, 200)], 290),
    word("openai-key", "sk-svcacct-", &[Run(TOKEN, 40, 200)], 290),
    word("openrouter-key", "sk-or-v1-", &[some(HEX, 64)], 290),
    word("huggingface-token", "hf_", &[some(ALNUM, 34)], 190),
    word("huggingface-token", "api_org_", &[some(ALNUM, 34)], 190),
    word("perplexity-key", "pplx-", &[some(ALNUM, 48)], 390),
    word("groq-key", "gsk_", &[some(ALNUM, 52)], 290),
    word("xai-key", "xai-", &[some(ALNUM, 80)], 290),
    word("replicate-token", "r8_", &[some(ALNUM, 37)], 290),
    // Stores of secrets.
    word("1password-key", "A3-", &[Run(UPNUM.and(Class::one(b'-')), 36, 37)], 370),
    lead("1password-token", "ops_eyJ", &[Run(BASE64, 100, MANY)], 390),
    lead("age-key", "AGE-SECRET-KEY-1", &[some(ALNUM, 58)], 0),
    word("vault-token", "hvs.", &[Run(TOKEN, 24, 120)], 340),
    word("vault-token", "hvb.", &[Run(TOKEN, 100, 300)], 390),
    exact("vault-token", "s.", &[some(ALNUM, 24)], 340),
    lead("doppler-token", "dp.pt.", &[some(ALNUM, 43)], 190),
    lead("doppler-token", "dp.st.", &[Run(TOKEN.and(Class::one(b'.')), 40, 90)], 190),
    lead("databricks-token", "dapi", &[some(HEX, 32)], 290),
    exact("clickhouse-key", "4b1d", &[some(ALNUM, 38)], 290),
    word("planetscale-secret", "pscale_tkn_", &[Run(DOTTED, 32, 64)], 290),
    word("planetscale-secret", "pscale_oauth_", &[Run(DOTTED, 32, 64)], 290),
    word("planetscale-secret", "pscale_pw_", &[Run(DOTTED, 32, 64)], 290),
    word("supabase-token", "sbp_", &[some(HEX, 40)], 290),
    // Payment and trade.
    word("stripe-key", "sk_live_", &[Run(ALNUM, 10, 99)], 190),
    word("stripe-key", "sk_test_", &[Run(ALNUM, 10, 99)], 190),
    word("stripe-key", "sk_prod_", &[Run(ALNUM, 10, 99)], 190),
    word("stripe-key", "rk_live_", &[Run(ALNUM, 10, 99)], 190),
    word("stripe-key", "rk_test_", &[Run(ALNUM, 10, 99)], 190),
    word("stripe-key", "rk_prod_", &[Run(ALNUM, 10, 99)], 190),
    word("stripe-webhook", "whsec_", &[Run(ALNUM, 32, 64)], 290),
    word("square-token", "sq0atp-", &[Run(TOKEN, 22, 60)], 190),
    word("square-token", "sq0csp-", &[Run(TOKEN, 22, 60)], 190),
    exact("square-token", "EAAA", &[Run(TOKEN, 22, 60)], 190),
    lead("shopify-token", "shpat_", &[some(HEX, 32)], 190),
    lead("shopify-token", "shpca_", &[some(HEX, 32)], 190),
    lead("shopify-token", "shppa_", &[some(HEX, 32)], 190),
    lead("shopify-token", "shpss_", &[some(HEX, 32)], 190),
    word("shippo-token", "shippo_live_", &[some(HEX, 40)], 190),
    word("shippo-token", "shippo_test_", &[some(HEX, 40)], 190),
    word("easypost-key", "EZAK", &[some(ALNUM, 54)], 190),
    word("easypost-key", "EZTK", &[some(ALNUM, 54)], 190),
    lead("duffel-token", "duffel_test_", &[some(PADDED, 43)], 190),
    lead("duffel-token", "duffel_live_", &[some(PADDED, 43)], 190),
    lead("flutterwave-key", "FLWSECK_TEST-", &[some(ALNUM, 12)], 190),
    lead("flutterwave-key", "FLWPUBK_TEST-", &[some(ALNUM, 32)], 190),
    lead("plaid-token", "access-sandbox-", &[some(TOKEN, 36)], 0),
    lead("plaid-token", "access-development-", &[some(TOKEN, 36)], 0),
    lead("plaid-token", "access-production-", &[some(TOKEN, 36)], 0),
    word("settlemint-token", "sm_aat_", &[some(ALNUM, 16)], 290),
    word("settlemint-token", "sm_pat_", &[some(ALNUM, 16)], 290),
    word("settlemint-token", "sm_sat_", &[some(ALNUM, 16)], 290),
    lead(
        "freemius-key",
        "secret_key",
        &[
            some(QUOTE, 1),
            Run(SPACE, 0, 64),
            Text("=>"),
            Run(SPACE, 0, 64),
            some(QUOTE, 1),
            Text("sk_"),
            some(SPACE.not(), 29),
        ],
        0,
    ),
    // Messages and mail.
    lead("slack-token", "xoxb-", &[Run(DIGIT, 8, 14), Text("-"), Run(ALNUM, 10, 80)], 190),
    lead(
        "slack-token",
        "xoxp-",
        &[
            Run(DIGIT, 10, 13),
            Text("-"),
            Run(DIGIT, 10, 13),
            Text("-"),
            Run(DIGIT, 10, 13),
            Text("-"),
            Run(TOKEN, 28, 34),
        ],
        190,
    ),
    lead(
        "slack-token",
        "xoxe-",
        &[
            Run(DIGIT, 10, 13),
            Text("-"),
            Run(DIGIT, 10, 13),
            Text("-"),
            Run(DIGIT, 10, 13),
            Text("-"),
            Run(TOKEN, 28, 34),
        ],
        190,
    ),
    lead("slack-token", "xoxe-", &[some(DIGIT, 1), Text("-"), some(ALNUM, 146)], 190),
    lead("slack-token", "xoxb-", &[some(DIGIT, 1), Text("-"), Run(ALNUM, 146, 166)], 190),
    lead("slack-token", "xoxp-", &[some(DIGIT, 1), Text("-"), Run(ALNUM, 146, 166)], 190),
    lead("slack-token", "xoxo-", OLD_SLACK, 190),
    lead("slack-token", "xoxs-", OLD_SLACK, 190),
    lead("slack-token", "xoxa-", &[Run(ALNUM.and(Class::one(b'-')), 8, 50)], 190),
    lead("slack-token", "xoxr-", &[Run(ALNUM.and(Class::one(b'-')), 8, 50)], 190),
    lead(
        "slack-token",
        "xapp-",
        &[
            some(DIGIT, 1),
            Text("-"),
            Run(ALNUM, 1, 40),
            Text("-"),
            Run(DIGIT, 1, 40),
            Text("-"),
            Run(ALNUM, 1, 90),
        ],
        190,
    ),
    inner("slack-webhook", HOOKS, "com/services/", &[Run(BASE64, 43, 56)], 0),
    inner("slack-webhook", HOOKS, "com/workflows/", &[Run(BASE64, 43, 56)], 0),
    inner("slack-webhook", HOOKS, "com/triggers/", &[Run(BASE64, 43, 56)], 0),
    lead(
        "teams-webhook",
        "webhook.office.com/webhookb2/",
        &[Run(TOKEN.and(Class::one(b'@')), 60, 90), Text("/incomingwebhook/")],
        0,
    ),
    word("sendgrid-key", "SG.", &[some(DOTTED, 66)], 190),
    word("sendinblue-key", "xkeysib-", &[some(HEX, 64), Text("-"), some(ALNUM, 16)], 190),
    lead("mailgun-key", "key-", &[some(HEX, 32)], 0),
    inner("mailchimp-key", &[some(HEX, 32)], "-us", &[some(DIGIT, 2)], 0),
    lead("twilio-key", "SK", &[some(HEX, 32)], 290),
    word("facebook-token", "EAAM", &[Run(ALNUM, 100, MANY)], 390),
    word("facebook-token", "EAAC", &[Run(ALNUM, 100, MANY)], 390),
    // Others.
    word("adobe-secret", "p8e-", &[some(ALNUM, 32)], 190),
    inner(
        "authress-key",
        &[Text("_"), Run(ALNUM, 5, 30), Text("."), Run(ALNUM, 4, 6)],
        ".acc",
        &[
            some(Class::one(b'_').and(Class::one(b'-')), 1),
            Run(ALNUM.and(Class::one(b'-')), 10, 32),
            Text("."),
            Run(PADDED.and(BASE64), 30, 120),
        ],
        190,
    ),
    lead("defined-networking-key", "dnkey-", &[some(PADDED, 79)], 0),
    word("dropbox-token", "sl.", &[Run(PADDED, 130, 160)], 0),
    word("intra42-secret", "s-s4t2ud-", &[some(HEX, 64)], 290),
    word("intra42-secret", "s-s4t2af-", &[some(HEX, 64)], 290),
    inner("maxmind-key", &[some(ALNUM, 6), Text("_"), some(ALNUM, 29)], "_mmk", &[], 390),
    word("mapbox-token", "pk.", &[some(ALNUM, 60), Text("."), some(ALNUM, 22)], 0),
    word("mapbox-token", "sk.", &[Run(ALNUM, 60, 90), Text("."), some(ALNUM, 22)], 0),
    lead("typeform-token", "tfp_", &[some(DOTTED, 59)], 0),
    // Inside other texts.
    word(
        "jwt-base64",
        "ZXlK",
        &[Run(BASE64.and(TOKEN).and(NEWLINE).and(Class::one(b'\\')), 46, 400)],
        190,
    ),
    lead("nuget-password", "<add key=\"password\"", NUGET, 0),
    lead("nuget-password", "<add key=\"cleartextpassword\"", NUGET, 0),
    inner(
        "sidekiq-credential",
        &[some(HEX, 8), Text(":"), some(HEX, 8)],
        "@gems.contribsys.com",
        &[],
        0,
    ),
    inner(
        "sidekiq-credential",
        &[some(HEX, 8), Text(":"), some(HEX, 8)],
        "@enterprise.contribsys.com",
        &[],
        0,
    ),
];

const OLD_SLACK: &[Part] = &[
    Run(DIGIT, 1, 40),
    Text("-"),
    Run(DIGIT, 1, 40),
    Text("-"),
    Run(DIGIT, 1, 40),
    Text("-"),
    Run(HEX, 1, 90),
];

const HOOKS: &[Part] =
    &[Text("hooks"), some(NEWLINE.not(), 1), Text("slack"), some(NEWLINE.not(), 1)];

const NUGET: &[Part] = &[Run(SPACE, 0, 64), Text("value=\""), Run(NEWLINE.not(), 8, MANY)];
