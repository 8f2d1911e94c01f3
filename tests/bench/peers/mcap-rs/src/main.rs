// SPDX-License-Identifier: Apache-2.0
//! mcap-peer ROUNDS SECONDS FILE...: the messages that `bench-mcap dump` wrote, through the Rust
//! crate `mcap` into nothing. Prints a row for each compression: the median of the rounds.
use std::io::{Result as IoResult, Seek, SeekFrom, Write};
use std::time::Instant;

struct Message {
    channel: u16,
    offset_us: u32,
    data: Vec<u8>,
}

/// Forgets what is written, but knows where it is: the crate seeks back into each chunk.
struct Nothing {
    position: u64,
    size: u64,
}

impl Write for Nothing {
    fn write(&mut self, bytes: &[u8]) -> IoResult<usize> {
        self.position += bytes.len() as u64;
        self.size = self.size.max(self.position);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> IoResult<()> {
        Ok(())
    }
}

impl Seek for Nothing {
    fn seek(&mut self, to: SeekFrom) -> IoResult<u64> {
        self.position = match to {
            SeekFrom::Start(n) => n,
            SeekFrom::Current(n) => self.position.checked_add_signed(n).unwrap(),
            SeekFrom::End(n) => self.size.checked_add_signed(n).unwrap(),
        };
        Ok(self.position)
    }
}

fn read(path: &str) -> Vec<Message> {
    let bytes = std::fs::read(path).unwrap();
    let mut messages = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let size = u32::from_le_bytes(bytes[at + 6..at + 10].try_into().unwrap()) as usize;
        messages.push(Message {
            channel: u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()),
            offset_us: u32::from_le_bytes(bytes[at + 2..at + 6].try_into().unwrap()),
            data: bytes[at + 10..at + 10 + size].to_vec(),
        });
        at += 10 + size;
    }
    messages
}

/// CPU time of all threads of the process, in seconds.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = text[text.rfind(')').unwrap() + 2..].split(' ').collect();
    let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    ticks / 100.0
}

fn write(messages: &[Message], seconds: u64, compression: Option<mcap::Compression>) -> (f64, f64) {
    let begin = (Instant::now(), cpu());
    let options = mcap::WriteOptions::new().compression(compression).profile("ros2");
    let mut writer = options.create(Nothing { position: 0, size: 0 }).unwrap();
    let schema = writer.add_schema("a/msg/A", "ros2msg", b"uint8 x\n").unwrap();
    let n_channels = messages.iter().map(|m| m.channel).max().unwrap() + 1;
    let ids: Vec<u16> = (0..n_channels)
        .map(|i| writer.add_channel(schema, &format!("/{i}"), "cdr", &Default::default()).unwrap())
        .collect();
    for second in 0..seconds {
        for (i, message) in messages.iter().enumerate() {
            let time = 1_700_000_000_000_000_000 + second * 1_000_000_000 + message.offset_us as u64 * 1000;
            let header = mcap::records::MessageHeader {
                channel_id: ids[message.channel as usize],
                sequence: i as u32,
                log_time: time,
                publish_time: time,
            };
            writer.write_to_known_channel(&header, &message.data).unwrap();
        }
    }
    writer.finish().unwrap();
    (begin.0.elapsed().as_secs_f64(), cpu() - begin.1)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let rounds: usize = args[1].parse().unwrap();
    let seconds: u64 = args[2].parse().unwrap();
    for path in &args[3..] {
        let messages = read(path);
        let n = messages.len() as f64 * seconds as f64;
        let bytes = messages.iter().map(|m| m.data.len()).sum::<usize>() as f64 * seconds as f64;
        for (name, compression) in [
            ("none", None),
            ("lz4", Some(mcap::Compression::Lz4)),
            ("zstd", Some(mcap::Compression::Zstd)),
        ] {
            let runs: Vec<_> = (0..rounds).map(|_| write(&messages, seconds, compression)).collect();
            let wall = median(runs.iter().map(|r| r.0).collect());
            let cpu = median(runs.iter().map(|r| r.1).collect());
            let workload = std::path::Path::new(path).file_stem().unwrap().to_string_lossy();
            println!(
                "  {:<30} {:>7.0} MB/s  {:>6.2} M msg/s  {:>6.1} ns CPU/msg",
                format!("{workload}, Rust crate, {name}"),
                bytes / wall / 1e6,
                n / wall / 1e6,
                cpu / n * 1e9
            );
        }
    }
}
