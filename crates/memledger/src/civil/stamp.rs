//! The numeric forms: `2026-03-03`, `2026-03-03T14:00`, `2026-03-03T14:00:00.25+02:00`, `2026-W10-2`.
//!
//! Owns the grammar: RFC 3339 with the seconds optional, a space for the `T`, lower-case letters, years
//! with a minus sign, and offsets down to the second, as zones before 1900 have them. It reads what is
//! written and does not resolve it: a missing offset stays missing.

use chrono::{FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Offset, Utc, Weekday};

use super::cursor::Cursor;
use super::error::shortened;
use super::format::{format_in, year_text};
use super::zone::{SECOND, Shown};
use super::{CivilError, Day, Micros, Problem, Zone};

/// What a numeric form says.
pub(super) enum Stamp {
    /// A date alone.
    Date(Day),
    /// A date and a time of day, and the offset if there is one.
    Time(NaiveDateTime, Option<FixedOffset>),
}

/// Whether the text sets out to be a numeric form: a sign, or a year and a hyphen.
pub(super) fn looks_numeric(text: &str) -> bool {
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
    text.starts_with(['-', '+']) || (after.starts_with('-') && text.len() - after.len() > 2)
}

/// Reads a whole text as date, or date and time.
pub(super) fn read(text: &str, forms: &'static str) -> Result<Stamp, CivilError> {
    let mut cursor = Cursor::new(text, forms);
    let year = year(&mut cursor)?;
    if cursor.take(&['-']).is_none() {
        return Err(cursor.unrecognised(format!("the year {}", year_text(year.into()))));
    }
    if cursor.take(&['W', 'w']).is_some() {
        return week_date(&mut cursor, year).map(Stamp::Date);
    }
    let month = cursor.two_digits("month", (1, 12))?;
    if cursor.take(&['-']).is_none() {
        return Err(cursor
            .unrecognised(format!("a year and a month, {}-{month:02}", year_text(year.into()))));
    }
    let day = cursor.two_digits("day", (1, 31))?;
    let day = Day::checked(year, month, day).map_err(|problem| cursor.refuse(problem))?;
    if cursor.rest().is_empty() {
        return Ok(Stamp::Date(day));
    }
    if cursor.take(&['T', 't', ' ']).is_none() {
        return Err(cursor.unrecognised(format!("the date {day}")));
    }
    time(&mut cursor, day)
}

/// The year of a numeric form: four digits, with a minus sign before year 0000.
fn year(cursor: &mut Cursor<'_>) -> Result<i32, CivilError> {
    let minus = cursor.take(&['-']).is_some();
    let run = cursor.digits();
    if run.is_empty() {
        return Err(cursor.unrecognised(""));
    }
    if run.len() > 4 {
        let sign = if minus { "-" } else { "" };
        return Err(
            cursor.refuse(Problem::Year { found: format!("the year {sign}{}", shortened(run)) })
        );
    }
    match run.parse::<i32>() {
        Ok(0) if minus && run.len() == 4 => Err(cursor.refuse(Problem::MinusZero)),
        Ok(value) if run.len() == 4 => Ok(if minus { -value } else { value }),
        _ => Err(cursor.refuse(Problem::Digits { what: "year", width: 4, found: run.to_owned() })),
    }
}

/// The rest of an ISO week date after the `W`: the week, and the day with Monday as 1.
fn week_date(cursor: &mut Cursor<'_>, year: i32) -> Result<Day, CivilError> {
    let week = cursor.two_digits("week", (1, 53))?;
    let read = format!("the week {}-W{week:02}", year_text(year.into()));
    if cursor.take(&['-']).is_none() {
        return Err(cursor.unrecognised(read));
    }
    let weekday = match cursor.digits() {
        "1" => Weekday::Mon,
        "2" => Weekday::Tue,
        "3" => Weekday::Wed,
        "4" => Weekday::Thu,
        "5" => Weekday::Fri,
        "6" => Weekday::Sat,
        "7" => Weekday::Sun,
        other => {
            let found = format!("{:?}", shortened(other));
            return Err(cursor.refuse(Problem::Range {
                what: "day of the week",
                found,
                range: (1, 7),
            }));
        }
    };
    let Some(date) = NaiveDate::from_isoywd_opt(year, week, weekday) else {
        return Err(cursor.refuse(Problem::NoSuchWeek { year, weeks: 52 }));
    };
    // The first and the last week can reach into a neighbouring year.
    let day = Day::supported(date)
        .ok_or_else(|| cursor.refuse(Problem::Year { found: date.to_string() }))?;
    cursor.end(format!("the date {day}"))?;
    Ok(day)
}

/// Time of day and offset, after the separator.
fn time(cursor: &mut Cursor<'_>, day: Day) -> Result<Stamp, CivilError> {
    if cursor.rest().is_empty() {
        return Err(cursor.unrecognised(format!("the date {day}")));
    }
    let hour = cursor.two_digits("hour", (0, 23))?;
    if cursor.take(&[':']).is_none() {
        return Err(cursor.unrecognised(format!("the date {day} and the hour {hour:02}")));
    }
    let minute = cursor.two_digits("minute", (0, 59))?;
    let start = NaiveTime::from_hms_opt(hour, minute, 0).expect("hour and minute were checked");
    let local = day.date().and_time(start);
    let (second, micro) = seconds(cursor)?;
    let offset = if cursor.rest().is_empty() { None } else { Some(self::offset(cursor)?) };
    cursor.end("a date and a time")?;
    if second == 60 {
        return Err(cursor.refuse(leap_second(local, offset)));
    }
    let time =
        NaiveTime::from_hms_micro_opt(hour, minute, second, micro).expect("each field was checked");
    Ok(Stamp::Time(day.date().and_time(time), offset))
}

/// Seconds and microseconds, zero where they are left out. Second 60 passes, to be refused with advice.
fn seconds(cursor: &mut Cursor<'_>) -> Result<(u32, u32), CivilError> {
    if cursor.take(&[':']).is_none() {
        return Ok((0, 0));
    }
    let second = cursor.two_digits("second", (0, 99))?;
    if second > 60 {
        let found = second.to_string();
        return Err(cursor.refuse(Problem::Range { what: "second", found, range: (0, 59) }));
    }
    if cursor.take(&['.']).is_none() {
        return Ok((second, 0));
    }
    let run = cursor.digits();
    let kept: String = run.chars().chain("000000".chars()).take(6).collect();
    if run.is_empty() {
        return Err(cursor.unrecognised("a date and a time with a decimal point"));
    }
    if run.chars().skip(6).any(|digit| digit != '0') {
        return Err(cursor.refuse(Problem::TooFine { kept }));
    }
    let micro = kept.parse().expect("six ASCII digits are a number");
    Ok((second, micro))
}

/// `Z`, or a sign with hours, minutes and possibly seconds.
pub(super) fn offset(cursor: &mut Cursor<'_>) -> Result<FixedOffset, CivilError> {
    if cursor.take(&['Z', 'z']).is_some() {
        return Ok(Utc.fix());
    }
    let found = shortened(cursor.rest());
    let Some(sign) = cursor.take(&['+', '-']) else {
        return Err(cursor.unrecognised("a date and a time"));
    };
    let shape: Vec<usize> = found.split(':').map(str::len).collect();
    if !matches!(shape.as_slice(), [3, 2] | [3, 2, 2]) {
        return Err(cursor.refuse(Problem::Offset { found }));
    }
    let mut total = 0;
    for (what, last, unit) in
        [("offset hour", 23, 3600), ("offset minute", 59, 60), ("offset second", 59, 1)]
    {
        total += unit * cursor.two_digits(what, (0, last))?;
        if cursor.take(&[':']).is_none() {
            break;
        }
    }
    let total = i32::try_from(total).expect("at most 23:59:59 in seconds");
    let signed = if sign == '-' { -total } else { total };
    Ok(FixedOffset::east_opt(signed).expect("less than a day"))
}

/// Second 60, with the two times that can be meant. Where a leap second would be is not checked: the
/// advice is the same for a slip of the pen.
fn leap_second(local: NaiveDateTime, offset: Option<FixedOffset>) -> Problem {
    let zone = Zone::fixed(offset.unwrap_or_else(|| Utc.fix()));
    let Shown::Once(minute) = zone.shown(local) else {
        return Problem::Range { what: "second", found: "60".to_owned(), range: (0, 59) };
    };
    // Without an offset the advice has none either: the text stays in the zone it was meant for.
    let print = |at: Micros| {
        let text = format_in(at, &zone);
        if offset.is_some() { text } else { text.trim_end_matches('Z').to_owned() }
    };
    Problem::LeapSecond {
        last: print(Micros(minute.0 + 60 * SECOND - 1)),
        next: print(Micros(minute.0 + 60 * SECOND)),
    }
}
