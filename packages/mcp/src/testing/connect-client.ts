import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { type RunDetail, StewardError, settings } from '@steward/contract'
import { createRedactor, type Home, resolveHome } from '@steward/platform'
import type { NoticeToSend, SentNotice, StewardMcpPorts } from '../ports.ts'
import { createStewardMcpServer } from '../server/create-steward-mcp-server.ts'

export const NOW = Date.UTC(2026, 2, 1, 12)
export const SECRET = 'open-sesame-0123456789'

const SPEND = { calls: 1, inputTokens: 10, outputTokens: 5, cost: 0.01, models: ['m'] }
const RUN: RunDetail = {
  id: 'run-1',
  primitive: 'action',
  name: 'A_SUMMARIZE',
  status: 'completed',
  definition: { version: '1', hash: 'h' },
  parentId: null,
  rerunOf: null,
  idempotencyKey: null,
  startedAt: '2026-03-01T11:00:00.000Z',
  endedAt: '2026-03-01T11:00:01.000Z',
  durationMs: 1000,
  stepCount: 1,
  spend: SPEND,
  error: null,
  input: { content: `${SECRET} ${'x'.repeat(5000)}` },
  output: { summary: 'short' },
  steps: [],
  children: [],
}

/** The server and the SDK's client on a separate data home. */
export interface Connected {
  client: Client
  home: Home
  /** Notices that were sent. */
  sent: NoticeToSend[]
  warnings: string[]
  put: (path: string, text: string) => void
  /** Calls a tool; returns its structured and its text result. */
  call: (
    name: string,
    args?: Record<string, unknown>,
  ) => Promise<{ isError: boolean; value: Record<string, unknown>; text: string }>
  close: () => Promise<void>
}

export const connectClient = async (
  allowWrites = false,
  change: Partial<StewardMcpPorts> = {},
): Promise<Connected> => {
  const root = mkdtempSync(join(tmpdir(), 'steward-mcp-'))
  const home = resolveHome({ STEWARD_HOME: join(root, 'home') })
  const sent: NoticeToSend[] = []
  const warnings: string[] = []
  const delivered: SentNotice = {
    id: 'n-1',
    at: '2026-03-01T11:00:00.000Z',
    channel: 'push',
    kind: 'error',
    title: 'Disk',
    message: `full, key ${SECRET}`,
    state: 'delivered',
    attempts: 1,
    detail: null,
  }
  const { steps: _steps, children: _children, input: _input, output: _output, ...record } = RUN
  const ports: StewardMcpPorts = {
    home,
    now: () => NOW,
    settings: async () => settings.parse({}),
    redactor: async () => createRedactor({ API_KEY: SECRET }),
    runs: {
      list: async ({ name }) => (name === undefined || name === record.name ? [record] : []),
      read: async (id) => {
        if (RUN.id.startsWith(id)) return RUN
        throw new StewardError('not_found', { what: 'run', name: id })
      },
    },
    notifications: {
      list: async () => [delivered],
      send: async (notice) => {
        sent.push(notice)
        return { id: 'n-2', deliveries: [{ channel: 'push', state: 'delivered', detail: null }] }
      },
    },
    places: { installation: join(root, 'installation'), homedir: root, env: {} },
    generated: () => [],
    log: { warn: (message) => warnings.push(message) },
    ...change,
  }
  const server = createStewardMcpServer(ports, { allowWrites })
  const client = new Client({ name: 'test', version: '1.0.0' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await server.connect(far)
  await client.connect(near)
  // Known schemas make the client validate every result.
  await client.listTools()
  return {
    client,
    home,
    sent,
    warnings,
    put: (path, text) => {
      const file = join(root, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    },
    call: async (name, args = {}) => {
      const answer = CallToolResultSchema.parse(await client.callTool({ name, arguments: args }))
      const text = answer.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
      return { isError: answer.isError === true, value: answer.structuredContent ?? {}, text }
    },
    close: async () => {
      await client.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
