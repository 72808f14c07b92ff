//! Owns the floors: the same bytes and the same waits, without records, chain, ciphers or policy.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// A zero-filled file that is written in place and flushed.
pub(crate) struct Committer {
    file: File,
    at: u64,
    pub(crate) flushes: u64,
}

impl Committer {
    pub(crate) fn new(path: &Path, bytes: u64) -> Self {
        let file =
            File::options().create(true).truncate(true).read(true).write(true).open(path).unwrap();
        let zeros = vec![0; 1 << 20];
        for chunk in 0..bytes.div_ceil(1 << 20) {
            file.write_all_at(&zeros, chunk << 20).unwrap();
        }
        file.sync_all().unwrap();
        Self { file, at: 0, flushes: 0 }
    }

    pub(crate) fn commit(&mut self, bytes: &[u8]) {
        self.file.write_all_at(bytes, self.at).unwrap();
        self.file.sync_data().unwrap();
        self.at += bytes.len() as u64;
        self.flushes += 1;
    }
}

type Job = (Vec<u8>, SyncSender<()>);

/// One thread that groups what waits: write, flush, answer.
pub(crate) fn grouping(mut committer: Committer, jobs: Receiver<Job>) -> Committer {
    while let Ok((mut bytes, answer)) = jobs.recv() {
        let mut answers = vec![answer];
        while let Ok((more, answer)) = jobs.try_recv() {
            bytes.extend_from_slice(&more);
            answers.push(answer);
        }
        committer.commit(&bytes);
        answers.into_iter().for_each(|answer| answer.send(()).unwrap());
    }
    committer
}

/// `clients` threads hand `each` blobs of `bytes` bytes to one grouping committer. Returns flushes.
pub(crate) fn clients(path: &Path, clients: u64, each: u64, bytes: usize) -> u64 {
    let committer = Committer::new(path, clients * each * bytes as u64);
    let (jobs, waiting) = sync_channel::<Job>(4_096);
    let thread = std::thread::spawn(move || grouping(committer, waiting));
    let jobs = Mutex::new(Some(jobs));
    std::thread::scope(|scope| {
        for _ in 0..clients {
            let jobs = jobs.lock().unwrap().clone().unwrap();
            scope.spawn(move || {
                for _ in 0..each {
                    let (answer, done) = sync_channel(1);
                    jobs.send((vec![7; bytes], answer)).unwrap();
                    done.recv().unwrap();
                }
            });
        }
        jobs.lock().unwrap().take();
    });
    thread.join().unwrap().flushes
}
