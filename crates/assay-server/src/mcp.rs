//! The Model Context Protocol: what a language model asks the hub, over streamable HTTP, without
//! sessions.
//!
//! A tool is a request to the API in other words. It runs through the same routes with the caller
//! of the message, so that access, limits and failures are those of the API, and nothing can be
//! changed.

mod tools;

use std::net::SocketAddr;
use std::sync::Arc;

use assay_app::Caller;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, Method};
use axum::response::Response;
use axum::{Extension, Router};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};
use tower::ServiceExt as _;

use self::tools::{ApiRequest, ToolName};
use crate::describe::{Refusal, Subject, says};
use crate::error::{Cause, Failure, wording};
use crate::observe::RequestId;
use crate::routes::{Routes, post};
use crate::state::AppState;

/// The largest message, in bytes: a question in SQL fits.
const MAX_MESSAGE: usize = 128 << 10;
/// The largest answer of a tool, in bytes.
const MAX_ANSWER: usize = 256 << 10;
const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// What a client is told about the hub when it connects.
const INSTRUCTIONS: &str = "A hub of AI evaluation results. Find benchmarks and models with `search`; a benchmark has tasks, and each task has \
     a leaderboard (`board`). A value is worth what is behind it: say whether it is verified, who reported it, and its interval. \
     Ranks whose intervals overlap are not told apart; missing results are unknown, not zero.";

/// The API as tools reach it: its routes behind the layer that admits callers.
#[derive(Clone)]
struct ApiService(Router);

/// The endpoint.
pub(crate) fn routes() -> Routes {
    let doc = says("Answers a message of the Model Context Protocol, by streamable HTTP without sessions.")
        .more(
            "Tools search, rank, compare, show evidence and changes, and ask in SQL where the hub has a lake. They read alone, and \
             see what the token of the request may see.",
        )
        .takes_bytes(
            "application/json",
            "A JSON-RPC message.",
            Some(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#),
        )
        .answers_bytes("application/json", "The answer to it.")
        .or_bytes("text/event-stream")
        .refuses(&[Refusal::TooLarge]);
    Routes::about(Subject::Leaderboards).route("/mcp", post(message, doc))
}

/// Gives the endpoint among these routes the others, for its tools.
pub(crate) fn with_api(routes: Router<AppState>, state: &AppState) -> Router<AppState> {
    let api = routes.clone().with_state(state.clone());
    routes.layer(Extension(ApiService(api)))
}

async fn message(
    State(state): State<AppState>,
    Extension(ApiService(api)): Extension<ApiService>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let mut asked = Request::new(());
    *asked.headers_mut() = parts.headers.clone();
    for name in [CONTENT_LENGTH, CONTENT_TYPE, ACCEPT] {
        asked.headers_mut().remove(name);
    }
    let extensions = asked.extensions_mut();
    if let Some(caller) = parts.extensions.get::<Caller>() {
        extensions.insert(caller.clone());
    }
    if let Some(address) = parts.extensions.get::<ConnectInfo<SocketAddr>>() {
        extensions.insert(*address);
    }
    let request_id = parts.extensions.get::<RequestId>();
    let hub = HubTools {
        api,
        asked: Arc::new(asked),
        has_lake: state.web.lake.is_some(),
        request_id: request_id.map(|id| id.0.clone()).unwrap_or_default(),
    };
    // Hosts are checked where every request is admitted, and no cookie signs in here.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_MESSAGE);
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(hub.clone()), sessions, config);
    let response = service.handle(Request::from_parts(parts, body)).await;
    response.map(Body::new)
}

/// The tools for the caller of one message.
#[derive(Clone)]
struct HubTools {
    api: Router,
    /// The headers and the caller of the message.
    asked: Arc<Request<()>>,
    has_lake: bool,
    request_id: String,
}

impl ServerHandler for HubTools {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("assay", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = ToolName::ALL.into_iter().filter(|tool| self.offers(*tool));
        Ok(ListToolsResult::with_all_items(
            tools.map(ToolName::described).collect(),
        ))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = ToolName::from_name(&call.name).filter(|tool| self.offers(*tool));
        let tool = tool.ok_or_else(|| {
            ErrorData::new(
                ErrorCode::INVALID_PARAMS,
                format!("there is no tool `{}`", call.name),
                None,
            )
        })?;
        let request = match tool.request(call.arguments.unwrap_or_default()) {
            Ok(request) => request,
            Err(error) => return Ok(refused(error).into()),
        };
        Ok(self.answer(request).await.map_or_else(refused, said).into())
    }
}

impl HubTools {
    fn offers(&self, tool: ToolName) -> bool {
        tool != ToolName::Sql || self.has_lake
    }

    /// Asks the API. A failure is told in its words.
    async fn answer(&self, request: ApiRequest) -> Result<String, String> {
        let mut asked = Request::new(match &request.body {
            Some(body) => Body::from(body.to_string()),
            None => Body::empty(),
        });
        *asked.uri_mut() = request
            .address
            .parse()
            .map_err(|_| "the address of this question is too long".to_owned())?;
        *asked.headers_mut() = self.asked.headers().clone();
        *asked.extensions_mut() = self.asked.extensions().clone();
        if request.body.is_some() {
            *asked.method_mut() = Method::POST;
            asked.headers_mut().insert(CONTENT_TYPE, JSON);
        }
        let response = self.api.clone().oneshot(asked).await;
        let mut response = response.unwrap_or_else(|never| match never {});
        if let Some(Failure(cause)) = response.extensions_mut().remove::<Failure>() {
            return Err(self.in_words(&cause));
        }
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, MAX_ANSWER).await.map_err(|_| {
            format!("the answer has more than {MAX_ANSWER} bytes; ask for fewer rows or one task")
        })?;
        let text = String::from_utf8_lossy(&bytes);
        if !parts.status.is_success() {
            return Err(text.into_owned());
        }
        match request.shape {
            Some(shape) => shape(&parts.headers, &text),
            None => Ok(text.into_owned()),
        }
    }

    fn in_words(&self, cause: &Cause) -> String {
        if let Some(source) = cause.hidden() {
            crate::answer::log_chain(source, &self.request_id);
            return format!("internal error; request id {}", self.request_id);
        }
        match cause {
            Cause::Hub(error) => wording(error),
            Cause::Server { message, .. } => message.clone(),
        }
    }
}

fn said(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn refused(text: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}
