import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentTool, type StewardError } from '@steward/contract'
import type { HostedDatabase } from '../../database/hosted-database.ts'
import type { NewEvent, StoredEvent } from '../../database/stored-event.ts'
import { openTestStore } from '../../database/testing/open-test-store.ts'
import { query } from '../../database/tx.ts'
import type { Hands, HandsSession, ToolCall, ToolOutcome } from '../../hands/hands.ts'
import { appendEvents } from '../../log/append-events.ts'
import { readEvents } from '../../log/read-events.ts'
import type { SessionBody } from '../../log/session-body.ts'
import { findSession, type StoredSession, writeSessionBody } from '../../log/stored-session.ts'
import { EMPTY_SUMMARY } from '../../log/summary.ts'
import type { Brain, BrainOptions, Timer } from '../brain.ts'
import { createBrain } from '../create-brain.ts'
import { type ConnectMcp, McpFailure } from '../mcp/mcp.ts'
import type { Model } from '../models/model.ts'

export type RunsCall = (call: ToolCall, signal: AbortSignal) => Promise<ToolOutcome>

/** A store of its own, a manual clock, and brains that start and stop. */
export interface BrainBench {
  database: HostedDatabase
  reported: StewardError[]
  nowMs: number
  /** Connects to nothing unless a test overrides it. */
  connectMcp: ConnectMcp
  timer: Timer
  /** Advances the clock and fires due timers. */
  pass(ms: number): void
  addSession(id: string, body?: Partial<SessionBody>): Promise<void>
  setBody(id: string, body: SessionBody): Promise<void>
  send(id: string, ...events: NewEvent[]): Promise<readonly StoredEvent[]>
  /** `store` wraps the database to make it fail. */
  brain(
    model: Model,
    runs?: RunsCall,
    options?: Partial<BrainOptions>,
    store?: HostedDatabase,
  ): Brain
  log(id: string): Promise<readonly StoredEvent[]>
  session(id: string): Promise<StoredSession>
  close(): Promise<void>
}

/**
 * The distance between writes at which brains die in property tests: every write on SQLite, every
 * third on Postgres, where a session takes ten times as long and only the engine differs.
 */
export const writesApart = ({ database }: BrainBench): number =>
  database.engine === 'postgres' ? 3 : 1

export const message = (text: string): NewEvent => ({
  type: 'user.message',
  body: { content: [{ type: 'text', text }] },
  queued: true,
})

export const openBench = (): BrainBench => {
  // The tests make thousands of commits, so they use a memory file system where one exists.
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const directory = mkdtempSync(join(place, 'steward-brain-'))
  const database = openTestStore(join(directory, 'hosted.sqlite'))
  const timers = new Set<{ atMs: number; callback: () => void }>()
  let brains = 0
  const nextOwner = (): string => {
    brains += 1
    return `brain-${brains}`
  }
  const bench: BrainBench = {
    database,
    reported: [],
    nowMs: 1_000_000,
    connectMcp: async ({ name }) => {
      throw new McpFailure('connection', `no server is named ${name}`)
    },
    timer: (delayMs, callback) => {
      const timer = { atMs: bench.nowMs + delayMs, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    pass: (ms) => {
      bench.nowMs += ms
      for (const timer of [...timers]) {
        if (timer.atMs > bench.nowMs) continue
        timers.delete(timer)
        timer.callback()
      }
    },
    addSession: async (id, body) => {
      const full = { ...SESSION, ...body }
      await database.write(() =>
        query(
          `INSERT INTO sessions (id, agent_id, agent_version, environment_id, body, summary, status, created_ms, updated_ms)
           VALUES ($1, $2, 1, $3, $4, $5, 'idle', $6, $6)`,
          id,
          full.agent.id,
          'env_1',
          JSON.stringify(full),
          JSON.stringify(EMPTY_SUMMARY),
          bench.nowMs,
        ),
      )
    },
    setBody: (id, body) => database.write(() => writeSessionBody(id, body, bench.nowMs)),
    send: (id, ...events) =>
      database.write(() => appendEvents(id, events, { nowMs: bench.nowMs, wakes: true })),
    brain: (model, runs = echo, options = {}, store = database) =>
      createBrain(
        {
          database: store,
          model,
          replaceModel: (wanted) => wanted,
          hands: handsOf(runs),
          openHands: async (id) => ({ ...HANDS_SESSION, id }),
          connectMcp: (...given) => bench.connectMcp(...given),
          readFile: async () => undefined,
          now: () => bench.nowMs,
          timer: bench.timer,
          report: (error) => bench.reported.push(error),
        },
        { owner: nextOwner(), ...options },
      ),
    log: (id) => database.read(() => readEvents(id)),
    session: async (id) => {
      const session = await database.read(() => findSession(id))
      if (session === undefined) throw new Error(`there is no session ${id}`)
      return session
    },
    close: async () => {
      await database.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return bench
}

const echo: RunsCall = async ({ name }) => ({
  content: [{ type: 'text', text: `${name} ran` }],
  isError: false,
})

const handsOf = (runs: RunsCall): Hands => ({
  execute: (_, call, signal) => runs(call, signal),
  save: async () => undefined,
  release: async () => undefined,
  describe: () => ({
    driver: 'bubblewrap',
    isolated: true,
    limits: 'none',
    seccomp: false,
    network: 'tcp',
    remarks: [],
  }),
  close: async () => undefined,
})

const HANDS_SESSION: HandsSession = {
  id: '',
  networking: { type: 'unrestricted' },
  packages: { apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] },
  mounts: [],
  credentials: [],
}

const ALLOW = { enabled: true, permission_policy: { type: 'always_allow' } } as const

export const TOOLSET = {
  type: 'agent_toolset_20260401',
  default_config: ALLOW,
  configs: [],
} as const satisfies SessionBody['agent']['tools'][number]

/** The toolset with a different policy for some of its tools. */
export const toolsetWith = (
  policy: 'always_ask' | 'auto',
  ...names: readonly string[]
): SessionBody['agent']['tools'][number] =>
  agentTool.parse({
    ...TOOLSET,
    configs: names.map((name) => ({
      name,
      type: name,
      enabled: true,
      permission_policy: { type: policy },
    })),
  })

export const CUSTOM_TOOL = {
  type: 'custom',
  name: 'ask_colleague',
  description: 'Asks a colleague.',
  input_schema: { type: 'object' },
} as const satisfies SessionBody['agent']['tools'][number]

export const AGENT: SessionBody['agent'] = {
  id: 'agent_1',
  type: 'agent',
  version: 1,
  name: 'Tester',
  description: null,
  model: { id: 'claude-sonnet-5-5' },
  system: 'Be brief.',
  tools: [TOOLSET, CUSTOM_TOOL],
  mcp_servers: [],
  skills: [],
  multiagent: null,
  execution_identity: { type: 'service_account' },
}

const SESSION: SessionBody = {
  agent: AGENT,
  environment: {
    type: 'cloud',
    networking: { type: 'unrestricted' },
    packages: { type: 'packages', apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] },
  },
  title: null,
  metadata: {},
  thread_id: 'sthr_1',
  resources: [],
  vault_ids: [],
  budget: null,
  outcome_evaluations: [],
  roster_skills: {},
  session_id: null,
  skills: [],
}
