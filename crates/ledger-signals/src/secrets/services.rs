//! Owns the table of credentials that only their company gives away: a bare string of a known length
//! that is assigned to a name holding the name of the service.
//!
//! Alphabets and lengths are those that the services show in their documentation.

use crate::class::{
    ALNUM, BASE64, Class, DIGIT, HEX, PADDED, Part, Part::Run, Part::Text, TOKEN, some,
};

/// A service and what its credentials look like.
pub(crate) struct Service {
    pub(crate) rule: &'static str,
    /// The name, as it appears in the name of a variable or a setting.
    pub(crate) name: &'static str,
    pub(crate) values: &'static [Value],
}

/// The shape of a value, and the entropy (hundredths of a bit per byte) that it has at least.
pub(crate) struct Value {
    pub(crate) shape: &'static [Part],
    pub(crate) floor: u32,
}

const fn value(shape: &'static [Part]) -> Value {
    Value { shape, floor: 0 }
}

const fn rich(shape: &'static [Part], floor: u32) -> Value {
    Value { shape, floor }
}

/// A row of the table: the rule is named after the service.
macro_rules! service {
    ($name:literal, $($value:expr),+) => {
        Service { rule: concat!("service-", $name), name: $name, values: &[$($value),+] }
    };
}

const UUID: &[Part] = &[
    some(HEX, 8),
    Text("-"),
    some(HEX, 4),
    Text("-"),
    some(HEX, 4),
    Text("-"),
    some(HEX, 4),
    Text("-"),
    some(HEX, 12),
];
const SIDEKIQ: &[Part] = &[some(HEX, 8), Text(":"), some(HEX, 8)];

/// Every service.
pub(crate) const SERVICES: &[Service] = &[
    service!("adafruit", value(&[some(TOKEN, 32)])),
    service!("adobe", rich(&[some(HEX, 32)], 190)),
    service!("airtable", value(&[some(ALNUM, 17)])),
    service!("algolia", value(&[some(ALNUM, 32)])),
    service!("alibaba", rich(&[some(ALNUM, 30)], 190)),
    service!("artifactory", value(&[some(ALNUM, 73)]), value(&[some(ALNUM, 64)])),
    service!("asana", value(&[some(DIGIT, 16)]), value(&[some(ALNUM, 32)])),
    service!("atlassian", rich(&[some(ALNUM, 24)], 340)),
    service!("beamer", value(&[Text("b_"), some(PADDED, 44)])),
    service!("bintray", value(&[some(ALNUM, 73)]), value(&[some(ALNUM, 64)])),
    service!("bitbucket", value(&[some(ALNUM, 32)]), value(&[some(PADDED, 64)])),
    service!("bittrex", value(&[some(ALNUM, 32)])),
    service!("bundle_enterprise__contribsys__com", value(SIDEKIQ)),
    service!("bundle_gems__contribsys__com", value(SIDEKIQ)),
    service!("cloudflare", rich(&[some(TOKEN, 40)], 190), rich(&[some(HEX, 37)], 190)),
    service!("co_api_key", rich(&[some(ALNUM, 40)], 390)),
    service!("codecov", value(&[some(ALNUM, 32)])),
    service!("cohere", rich(&[some(ALNUM, 40)], 390)),
    service!("coinbase", value(&[some(TOKEN, 64)])),
    service!("confluence", rich(&[some(ALNUM, 24)], 340)),
    service!("confluent", value(&[some(ALNUM, 16)]), value(&[some(ALNUM, 64)])),
    service!("contentful", value(&[some(PADDED, 43)])),
    service!("datadog", value(&[some(ALNUM, 40)]), value(&[some(HEX, 32)])),
    service!(
        "discord",
        value(&[some(HEX, 64)]),
        rich(&[some(DIGIT, 18)], 190),
        rich(&[some(PADDED, 32)], 190)
    ),
    service!("droneci", value(&[some(ALNUM, 32)])),
    service!(
        "dropbox",
        value(&[some(ALNUM, 15)]),
        value(&[some(ALNUM, 11), Text("AAAAAAAAAA"), some(PADDED, 43)])
    ),
    service!("etsy", rich(&[some(ALNUM, 24)], 290)),
    service!("facebook", rich(&[some(HEX, 32)], 290)),
    service!("fastly", value(&[some(PADDED, 32)])),
    service!("finicity", value(&[some(HEX, 32)]), value(&[some(ALNUM, 20)])),
    service!("finnhub", value(&[some(ALNUM, 20)])),
    service!("flickr", value(&[some(ALNUM, 32)])),
    service!("freshbooks", value(&[some(ALNUM, 64)])),
    service!("gitter", value(&[some(TOKEN, 40)])),
    service!("gocardless", value(&[Text("live_"), some(PADDED, 40)])),
    service!("heroku", value(UUID)),
    service!("hubspot", value(UUID)),
    service!("intercom", value(&[some(PADDED, 60)])),
    service!("jfrog", value(&[some(ALNUM, 73)]), value(&[some(ALNUM, 64)])),
    service!("jira", rich(&[some(ALNUM, 24)], 340)),
    service!("kraken", value(&[Run(BASE64.and(PADDED), 80, 90)])),
    service!("kucoin", value(&[some(HEX, 24)]), value(UUID)),
    service!("launchdarkly", value(&[some(PADDED, 40)])),
    service!("linear", rich(&[some(HEX, 32)], 190)),
    service!("linkedin", rich(&[some(ALNUM, 14)], 190), rich(&[some(ALNUM, 16)], 190)),
    service!("linked_in", rich(&[some(ALNUM, 14)], 190), rich(&[some(ALNUM, 16)], 190)),
    service!("linked-in", rich(&[some(ALNUM, 14)], 190), rich(&[some(ALNUM, 16)], 190)),
    service!(
        "lob",
        value(&[Text("live_"), some(HEX, 35)]),
        value(&[Text("test_"), some(HEX, 35)]),
        value(&[Text("live_pub_"), some(HEX, 31)]),
        value(&[Text("test_pub_"), some(HEX, 31)])
    ),
    service!("looker", value(&[some(ALNUM, 20)]), value(&[some(ALNUM, 24)])),
    service!(
        "mailgun",
        value(&[some(ALNUM, 32), Text("-"), some(ALNUM, 8), Text("-"), some(ALNUM, 8)])
    ),
    service!("mattermost", value(&[some(ALNUM, 26)])),
    service!("meraki", rich(&[some(HEX, 40)], 290)),
    service!("messagebird", value(&[some(ALNUM, 25)]), value(UUID)),
    service!("message-bird", value(&[some(ALNUM, 25)]), value(UUID)),
    service!("message_bird", value(&[some(ALNUM, 25)]), value(UUID)),
    service!("netlify", value(&[Run(PADDED, 40, 46)])),
    service!("new-relic", value(&[some(ALNUM, 64)])),
    service!("new-york-times,", value(&[some(PADDED, 32)])),
    service!("new_relic", value(&[some(ALNUM, 64)])),
    service!("newrelic", value(&[some(ALNUM, 64)])),
    service!("newyorktimes", value(&[some(PADDED, 32)])),
    service!("nytimes", value(&[some(PADDED, 32)])),
    service!("okta", rich(&[Text("00"), some(PADDED, 40)], 390)),
    service!("plaid", rich(&[some(ALNUM, 24)], 340), rich(&[some(ALNUM, 30)], 340)),
    service!("private-ai", rich(&[some(ALNUM, 32)], 290)),
    service!("private_ai", rich(&[some(ALNUM, 32)], 290)),
    service!("privateai", rich(&[some(ALNUM, 32)], 290)),
    service!("rapidapi", value(&[some(TOKEN, 50)])),
    service!("sendbird", value(UUID), value(&[some(HEX, 40)])),
    service!("sentry", rich(&[some(HEX, 64)], 290)),
    service!("snyk", value(UUID)),
    service!("sonar", value(&[some(PADDED, 40)]), value(&[some(PADDED, 44)])),
    service!("squarespace", value(UUID)),
    service!("sumo", rich(&[Text("su"), some(ALNUM, 12)], 290), rich(&[some(ALNUM, 64)], 290)),
    service!("telegr", value(&[Run(DIGIT, 5, 16), Text(":A"), some(TOKEN, 34)])),
    service!("travis", value(&[some(ALNUM, 22)])),
    service!("twitch", value(&[some(ALNUM, 30)])),
    service!(
        "twitter",
        value(&[some(ALNUM, 25)]),
        value(&[some(ALNUM, 45)]),
        value(&[some(ALNUM, 50)]),
        value(&[Run(DIGIT, 15, 25), Text("-"), Run(ALNUM, 20, 40)]),
        value(&[some(Class::one(b'A').and(Class::one(b'a')), 22), Run(PERCENT, 80, 100)])
    ),
    service!("xray", value(&[some(ALNUM, 73)]), value(&[some(ALNUM, 64)])),
    service!(
        "yandex",
        value(&[Text("t1."), Run(PADDED, 1, 200), Text("."), Run(PADDED, 86, 88)]),
        value(&[Text("AQVN"), Run(TOKEN, 35, 38)]),
        value(&[Text("YC"), some(TOKEN, 38)])
    ),
    service!("zendesk", value(&[some(ALNUM, 40)])),
];

const PERCENT: Class = ALNUM.and(Class::one(b'%'));
