// SPDX-License-Identifier: Apache-2.0

//! What an MCAP file costs with the crate `mcap`: the messages of `bench-mcap … dump`.
//!
//!     peer-mcap-rust MESSAGES SECONDS DIRECTORY
//!
//! One line of JSON for each compression, into /dev/null and into a file. One thread for zstd,
//! and level 1; everything else as the crate does it.

use mcap::{records::MessageHeader, Compression, WriteOptions};
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::time::Instant;

extern "C" {
    fn clock() -> std::os::raw::c_long; // CPU time of the process in microseconds
}

/// A file whose position is ours to know: /dev/null has none.
struct Output {
    file: File,
    at: u64,
    end: u64,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.at += n as u64;
        self.end = self.end.max(self.at);
        Ok(n)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Output {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::Current(by) => self.at.wrapping_add_signed(by),
            SeekFrom::End(by) => self.end.wrapping_add_signed(by),
        };
        self.file.seek(SeekFrom::Start(self.at))?;
        Ok(self.at)
    }
}

struct Message<'a> {
    channel: u16,
    offset_us: u64,
    bytes: &'a [u8],
}

fn number(data: &[u8], at: usize) -> usize {
    u32::from_le_bytes(data[at..at + 4].try_into().unwrap()) as usize
}

fn read_messages(data: &[u8]) -> Vec<Message<'_>> {
    let mut messages = Vec::new();
    let mut at = 12;
    while at < data.len() {
        let size = number(data, at + 8);
        messages.push(Message {
            channel: number(data, at) as u16,
            offset_us: number(data, at + 4) as u64,
            bytes: &data[at + 12..at + 12 + size],
        });
        at += 12 + size;
    }
    messages
}

fn write(
    compression: Option<Compression>,
    level: u32,
    output: Output,
    n_channels: usize,
    messages: &[Message],
    stretch_ms: u64,
    seconds: u64,
) -> mcap::McapResult<()> {
    let mut writer = WriteOptions::new()
        .profile("ros2")
        .compression(compression)
        .compression_level(level)
        .compression_threads(0)
        .create(io::BufWriter::new(output))?;
    let schema = writer.add_schema("a/msg/A", "ros2msg", b"uint8 x\n")?;
    let mut ids = Vec::new();
    for i in 0..n_channels {
        ids.push(writer.add_channel(schema, &format!("/{i}"), "cdr", &Default::default())?);
    }
    for turn in 0..seconds * 1000 / stretch_ms {
        for (i, message) in messages.iter().enumerate() {
            let us = turn * stretch_ms * 1000 + message.offset_us;
            let time = 1_700_000_000_000_000_000 + us * 1000;
            let header = MessageHeader {
                channel_id: ids[message.channel as usize],
                sequence: i as u32,
                log_time: time,
                publish_time: time,
            };
            writer.write_to_known_channel(&header, message.bytes)?;
        }
    }
    writer.finish()?;
    Ok(())
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let data = fs::read(&args[1]).unwrap();
    let messages = read_messages(&data);
    let seconds = args[2].parse().unwrap();
    let own = format!("{}/peer.mcap", args[3]);
    let cases = [
        ("none", None, 0),
        ("lz4", Some(Compression::Lz4), 0),
        ("zstd", Some(Compression::Zstd), 1),
    ];

    for (name, compression, level) in cases {
        for (suffix, path) in [("", "/dev/null"), (" file", own.as_str())] {
            let file = File::create(path).unwrap();
            let output = Output {
                file,
                at: 0,
                end: 0,
            };
            let (begin, cpu) = (Instant::now(), unsafe { clock() });
            write(
                compression,
                level,
                output,
                number(&data, 0),
                &messages,
                number(&data, 8) as u64,
                seconds,
            )
            .unwrap();
            let wall_s = begin.elapsed().as_secs_f64();
            let cpu_s = (unsafe { clock() } - cpu) as f64 * 1e-6;
            println!("{{\"case\":\"{name}{suffix}\",\"wall_s\":{wall_s},\"cpu_s\":{cpu_s}}}");
        }
    }
    let _ = fs::remove_file(&own);
}
