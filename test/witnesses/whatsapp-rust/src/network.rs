use whatsapp_rust::anyhow::{Result, anyhow};
use whatsapp_rust::async_trait;
use whatsapp_rust::wacore::net::{HttpClient, HttpRequest, HttpResponse, StreamingHttpResponse, UploadBody};
use whatsapp_rust_tokio_transport::TokioWebSocketTransportFactory;
use whatsapp_rust_ureq_http_client::UreqHttpClient;

/// The library's transport, to the sandbox. @param address `http://host:port`
pub fn transport(address: &str) -> TokioWebSocketTransportFactory {
    TokioWebSocketTransportFactory::new().with_url(format!("{}/ws/chat", address.replacen("http", "ws", 1)))
}

/// The library's HTTP client, which reaches one address, whatever the host in the URL: the sandbox plays all hosts of
/// WhatsApp, without TLS.
pub struct SandboxHttp {
    client: UreqHttpClient,
    address: String,
}

impl SandboxHttp {
    pub fn new(address: &str) -> Self {
        Self { client: UreqHttpClient::new(), address: address.to_owned() }
    }

    fn to_sandbox(&self, mut request: HttpRequest) -> Result<HttpRequest> {
        let rest =
            request.url.strip_prefix("https://").ok_or_else(|| anyhow!("not https: {}", request.url))?;
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        request.headers.insert("Host".to_owned(), host.to_owned());
        request.url = format!("{}{path}", self.address);
        Ok(request)
    }
}

#[async_trait]
impl HttpClient for SandboxHttp {
    async fn execute(&self, request: HttpRequest) -> Result<HttpResponse> {
        self.client.execute(self.to_sandbox(request)?).await
    }

    fn supports_streaming(&self) -> bool {
        self.client.supports_streaming()
    }

    fn execute_streaming(&self, request: HttpRequest) -> Result<StreamingHttpResponse> {
        self.client.execute_streaming(self.to_sandbox(request)?)
    }

    fn supports_upload_streaming(&self) -> bool {
        self.client.supports_upload_streaming()
    }

    fn execute_upload(&self, request: HttpRequest, body: UploadBody, length: u64) -> Result<HttpResponse> {
        self.client.execute_upload(self.to_sandbox(request)?, body, length)
    }
}
