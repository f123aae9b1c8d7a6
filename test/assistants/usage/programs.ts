import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Move } from './protocol.ts'
import type { Question } from './vendor.ts'

/** How one assistant is run against the vendor. */
export interface Program {
  /** The npm package and the version that this was tried with. */
  install: string
  bin: string
  /** Writes what points it at the vendor. */
  configure: (place: Place) => void
  environment: (place: Place) => Record<string, string>
  args: (turn: Turn) => string[]
  /** What it can do with a session beside resuming it. */
  ways: readonly Way[]
  /** The id of the session, from what it printed. */
  sessionIn: (output: string) => string | undefined
  /** A harmless tool, and the one that starts a subagent. */
  useTool: Move
  delegate: (question: Question) => Move
}

/** Continues a session, continues a copy of it, or continues it after a summary. */
export type Way = 'resume' | 'fork' | 'compact'

export interface Turn {
  prompt: string
  /** The session that the turn continues; a new one if omitted. */
  before?: { session: string; way: Way }
}

interface Place {
  /** The person's folder. */
  home: string
  /** Where the session works. */
  cwd: string
  address: string
  /** The daemon, which gets its telemetry as well: it must count nothing twice. */
  otlp: string
}

const SUBTASK = 'SUBTASK: say done'
const DONE: Move = { type: 'text', text: 'done' }

const write = (folder: string, name: string, text: string): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), text)
}

/** The first value with this name in lines of JSON. */
const valueIn = (output: string, name: string): string | undefined => {
  for (const line of output.split('\n')) {
    const [, value] = new RegExp(`"${name}":"([^"]+)"`).exec(line) ?? []
    if (value !== undefined) return value
  }
  return undefined
}

export const PROGRAMS: Readonly<Record<string, Program>> = {
  claude: {
    install: '@anthropic-ai/claude-code@2.1.325',
    bin: 'claude',
    ways: ['resume', 'fork', 'compact'],
    configure: () => undefined,
    environment: ({ address, otlp }) => ({
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_API_KEY: 'key',
      CLAUDE_CODE_ENABLE_TELEMETRY: '1',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_ENDPOINT: otlp,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    args: ({ prompt, before }) => [
      '-p',
      before?.way === 'compact' ? '/compact' : prompt,
      ...(before === undefined ? [] : ['--resume', before.session]),
      ...(before?.way === 'fork' ? ['--fork-session'] : []),
      ...['--allowedTools', 'Bash,Agent', '--output-format', 'stream-json', '--verbose'],
    ],
    sessionIn: (output) => valueIn(output, 'session_id'),
    useTool: { type: 'tool', name: 'Bash', input: { command: 'echo hi', description: 'say hi' } },
    delegate: ({ results }) =>
      results.length > 0
        ? DONE
        : {
            type: 'tool',
            name: 'Agent',
            input: {
              description: 'a subtask',
              prompt: SUBTASK,
              subagent_type: 'general-purpose',
              run_in_background: false,
            },
          },
  },
  codex: {
    install: '@openai/codex@0.166.0',
    bin: 'codex',
    ways: ['resume', 'fork', 'compact'],
    configure: ({ home, address, otlp }) =>
      write(
        join(home, '.codex'),
        'config.toml',
        `model = "gpt-5.6"
model_provider = "vendor"
[model_providers.vendor]
name = "vendor"
base_url = "${address}/v1"
wire_api = "responses"
env_key = "VENDOR_KEY"
[otel]
exporter = { otlp-http = { endpoint = "${otlp}/v1/logs", protocol = "binary" } }
metrics_exporter = { otlp-http = { endpoint = "${otlp}/v1/metrics", protocol = "binary" } }
`,
      ),
    environment: () => ({ VENDOR_KEY: 'key' }),
    args: ({ prompt, before }) => [
      'exec',
      ...(before === undefined ? [] : [before.way === 'fork' ? 'fork' : 'resume', before.session]),
      ...(before?.way === 'compact' ? ['-c', 'model_auto_compact_token_limit=1'] : []),
      ...['--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    ],
    sessionIn: (output) => valueIn(output, 'thread_id'),
    useTool: { type: 'tool', name: 'exec_command', input: { cmd: 'echo hi' } },
    delegate: ({ results }) => {
      const [started] = results
      const namespace = 'multi_agent_v1'
      if (started === undefined) {
        return { type: 'tool', name: 'spawn_agent', namespace, input: { message: SUBTASK } }
      }
      const [id] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(started) ?? []
      if (id === undefined || results.length > 1) return DONE
      const input = { targets: [id], timeout_ms: 20_000 }
      return { type: 'tool', name: 'wait_agent', namespace, input }
    },
  },
  gemini: {
    install: '@google/gemini-cli@0.61.0',
    bin: 'gemini',
    ways: ['resume'],
    configure: ({ home, otlp }) => {
      const telemetry = { enabled: true, target: 'local', otlpEndpoint: otlp, otlpProtocol: 'http' }
      const security = { auth: { selectedType: 'gemini-api-key' } }
      write(join(home, '.gemini'), 'settings.json', JSON.stringify({ security, telemetry }))
    },
    environment: ({ address }) => ({ GEMINI_API_KEY: 'key', GOOGLE_GEMINI_BASE_URL: address }),
    args: ({ prompt, before }) => [
      ...['--skip-trust', '-m', 'gemini-2.5-pro', '--output-format', 'stream-json'],
      ...(before === undefined ? [] : ['--resume', before.session]),
      ...['-p', prompt],
    ],
    sessionIn: (output) => valueIn(output, 'session_id'),
    useTool: { type: 'tool', name: 'list_directory', input: { dir_path: '.' } },
    delegate: ({ results }) =>
      results.length > 0
        ? DONE
        : {
            type: 'tool',
            name: 'invoke_agent',
            input: { agent_name: 'codebase_investigator', prompt: SUBTASK },
          },
  },
  opencode: {
    install: 'opencode-ai@1.18.18',
    bin: 'opencode',
    // It summarises by itself only when a model can take no more, and then after every answer.
    ways: ['resume', 'fork'],
    configure: ({ cwd, address }) => {
      const provider = {
        npm: '@ai-sdk/openai-compatible',
        name: 'Vendor',
        options: { baseURL: `${address}/v1`, apiKey: 'key' },
        models: { m1: { name: 'M', cost: { input: 3, output: 15, cache_read: 0.3 } } },
      }
      const settings = { provider: { vendor: provider }, model: 'vendor/m1', autoupdate: false }
      write(cwd, 'opencode.json', JSON.stringify(settings))
    },
    environment: () => ({}),
    args: ({ prompt, before }) => [
      ...['run', '--format', 'json'],
      ...(before === undefined ? [] : ['--session', before.session]),
      ...(before?.way === 'fork' ? ['--fork'] : []),
      prompt,
    ],
    sessionIn: (output) => valueIn(output, 'sessionID'),
    useTool: { type: 'tool', name: 'bash', input: { command: 'echo hi', description: 'say hi' } },
    delegate: ({ results }) =>
      results.length > 0
        ? DONE
        : {
            type: 'tool',
            name: 'task',
            input: { description: 'a subtask', prompt: SUBTASK, subagent_type: 'general' },
          },
  },
}

/** What the scripted model does, by the words of the prompt. */
export const decide = (question: Question): Move => {
  const { prompt, results, tools, session } = question
  const program = PROGRAMS[session.split('-')[0] ?? '']
  if (program === undefined) return DONE
  if (tools.includes('complete_task')) {
    const report = { SummaryOfFindings: 'x', ExplorationTrace: [], RelevantLocations: [] }
    return { type: 'tool', name: 'complete_task', input: { report, result: 'done' } }
  }
  if (prompt.includes('SUBTASK')) return DONE
  if (prompt.includes('DELEGATE')) return program.delegate(question)
  const isToolDue = results.length === 0 && (prompt.includes('TOOL') || prompt.includes('HANG'))
  if (isToolDue) return program.useTool
  return prompt.includes('HANG') ? { type: 'hang' } : DONE
}
