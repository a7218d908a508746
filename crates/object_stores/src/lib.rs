//! Clients of object stores, by the crate `object_store`: S3 and what speaks as it does, Azure Blob
//! Storage, Google Cloud Storage.
//!
//! Keys, regions and endpoints come from the environment, by the names that the stores' own tools
//! use.
//!
//! *Architecture invariant*: the only crate that speaks to a network. The program and the module of Python install it; no other crate imports it.

use clearsweep_base::error::{Error, Result};
use clearsweep_store::{Address, ObjectAbout, Store};
use futures_util::{StreamExt, TryStreamExt};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path as Key;
use object_store::{
    Error as StoreError, GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutPayload, RetryConfig,
    WriteMultipart,
};
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Runtime;

/// Bytes of a part of an object that is written in parts, and of the objects that are written in
/// one.
const PART: usize = 8 << 20;

/// Parts that are on their way at a time.
const AT_A_TIME: usize = 8;

/// Time for which an operation is tried again.
const RETRY_FOR: Duration = Duration::from_secs(60);

/// A bucket, through the crate `object_store`.
struct Bucket {
    name: String,
    store: Box<dyn ObjectStore>,
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Has addresses of object stores understood in the whole process.
pub fn install() {
    clearsweep_store::register(connect);
}

/// Connects to the bucket of an address, with the keys and the endpoint that the environment holds.
fn connect(address: &Address) -> Result<Arc<dyn Store>> {
    // Another provider may be there: the program is a module of Python too.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = format!("{}/", address.bucket);
    let retry = RetryConfig { retry_timeout: RETRY_FOR, ..RetryConfig::default() };
    let store: std::result::Result<Box<dyn ObjectStore>, StoreError> = match address.bucket.split("://").next() {
        Some("s3" | "s3a") => {
            AmazonS3Builder::from_env().with_url(&url).with_retry(retry).build().map(|store| Box::new(store) as _)
        }
        Some("gs") => GoogleCloudStorageBuilder::from_env()
            .with_url(&url)
            .with_retry(retry)
            .build()
            .map(|store| Box::new(store) as _),
        _ => {
            MicrosoftAzureBuilder::from_env().with_url(&url).with_retry(retry).build().map(|store| Box::new(store) as _)
        }
    };
    let store = store.map_err(|error| {
        let remedy = "check the keys, the region and the endpoint in the environment";
        Error::usage(address, format!("cannot be connected to ({})", words(&error)), remedy)
    })?;
    Ok(Arc::new(Bucket { name: address.bucket.clone(), store }))
}

/// The threads on which requests wait, and the process that they are of.
static RUNTIME: Mutex<Option<(u32, &'static Runtime)>> = Mutex::new(None);

/// The threads on which requests wait. A process that was forked has none of its parent's, and gets
/// its own.
fn runtime() -> io::Result<&'static Runtime> {
    let (mut made, process) = (RUNTIME.lock().unwrap_or_else(PoisonError::into_inner), std::process::id());
    match *made {
        Some((of, runtime)) if of == process => Ok(runtime),
        _ => {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            let runtime = builder.worker_threads(2).thread_name("clearsweep-store").enable_all().build()?;
            // It lives as long as the process: threads may wait on it at the end.
            let runtime: &'static Runtime = Box::leak(Box::new(runtime));
            *made = Some((process, runtime));
            Ok(runtime)
        }
    }
}

/// Waits for an operation.
fn wait<T>(operation: impl Future<Output = std::result::Result<T, StoreError>>) -> io::Result<T> {
    runtime()?.block_on(operation).map_err(|error| told(&error))
}

/// An error of a store as one of files.
fn told(error: &StoreError) -> io::Error {
    let kind = match error {
        StoreError::NotFound { .. } => ErrorKind::NotFound,
        StoreError::AlreadyExists { .. } => ErrorKind::AlreadyExists,
        StoreError::Precondition { .. } => {
            return io::Error::new(ErrorKind::InvalidData, "it is another object by now than it was when it was found");
        }
        StoreError::PermissionDenied { .. } | StoreError::Unauthenticated { .. } => ErrorKind::PermissionDenied,
        _ => ErrorKind::Other,
    };
    io::Error::new(kind, words(error))
}

/// The innermost reason of an error: those around it repeat it. What a server says in XML is cut to
/// its message.
fn words(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(inner) = last.source() {
        last = inner;
    }
    let text = last.to_string();
    let message = text.split_once("<Message>").and_then(|(_, rest)| rest.split_once("</Message>"));
    message.map_or_else(|| text.lines().next().unwrap_or_default().to_owned(), |(message, _)| message.to_owned())
}

fn about(meta: ObjectMeta) -> ObjectAbout {
    ObjectAbout { key: meta.location.to_string(), bytes: meta.size, version: meta.e_tag }
}

fn key(text: &str) -> io::Result<Key> {
    Key::parse(text).map_err(|error| io::Error::new(ErrorKind::InvalidInput, error))
}

impl Store for Bucket {
    fn list(&self, folder: &str) -> io::Result<Vec<ObjectAbout>> {
        let folder = key(folder)?;
        wait(self.store.list(Some(&folder)).map_ok(about).try_collect())
    }

    fn about(&self, text: &str) -> io::Result<Option<ObjectAbout>> {
        let key = key(text)?;
        match wait(async { self.store.head(&key).await }) {
            Ok(meta) => Ok(Some(about(meta))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read(&self, object: &ObjectAbout, range: Range<u64>) -> io::Result<Vec<u8>> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let key = key(&object.key)?;
        let options = GetOptions::new().with_range(Some(range)).with_if_match(object.version.clone());
        wait(async { self.store.get_opts(&key, options).await?.bytes().await }).map(Vec::from)
    }

    fn create(&self, text: &str, bytes: Vec<u8>) -> io::Result<bool> {
        let key = key(text)?;
        match wait(async { self.store.put_opts(&key, bytes.into(), PutMode::Create.into()).await }) {
            Ok(_) => Ok(true),
            Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::InvalidData) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn upload(&self, text: &str, file: &mut File, bytes: u64) -> io::Result<()> {
        let key = key(text)?;
        let mut next = |left: u64| {
            let mut part = vec![0; left.min(PART as u64) as usize];
            file.read_exact(&mut part).map(|()| part)
        };
        if bytes <= PART as u64 {
            let payload = PutPayload::from(next(bytes)?);
            return wait(async { self.store.put(&key, payload).await }).map(|_| ());
        }
        let mut upload =
            WriteMultipart::new_with_chunk_size(wait(async { self.store.put_multipart(&key).await })?, PART);
        let mut left = bytes;
        while left > 0 {
            let part = match wait(upload.wait_for_capacity(AT_A_TIME - 1)).and_then(|()| next(left)) {
                Ok(part) => part,
                Err(error) => {
                    let _ = wait(upload.abort());
                    return Err(error);
                }
            };
            left -= part.len() as u64;
            let _inside = runtime()?.enter();
            upload.write(&part);
        }
        wait(upload.finish()).map(|_| ())
    }

    fn remove(&self, keys: &[String]) -> io::Result<()> {
        let keys = keys.iter().map(|text| key(text)).collect::<io::Result<Vec<_>>>()?;
        let keys = futures_util::stream::iter(keys.into_iter().map(Ok)).boxed();
        let gone = |error: &StoreError| matches!(error, StoreError::NotFound { .. });
        wait(async {
            let mut removed = self.store.delete_stream(keys);
            while let Some(one) = removed.next().await {
                match one {
                    Err(error) if !gone(&error) => return Err(error),
                    _ => {}
                }
            }
            Ok(())
        })
    }
}
