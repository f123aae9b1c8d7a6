import {
  type AlgorithmView,
  algorithmView,
  EVENT_SOURCE_NAMES,
  type Settings,
  stewardEvent,
} from '@steward/contract'
import {
  collectEvents,
  describeWorkState,
  eventLogPath,
  normaliseEvent,
  pairSubagents,
  readTail,
  readWorkState,
} from '@steward/platform'
import { z } from 'zod'
import type { StewardMcpPorts } from '../ports.ts'
import { shortenValues } from './shorten-values.ts'
import { defineTool, limitOf, type Tool } from './tool.ts'

type SessionPorts = Pick<StewardMcpPorts, 'home' | 'now' | 'settings'>

/** The same number as the daemon reads, so that both show the same. */
const SUBAGENT_ROWS = 500
const EVENT_TEXT_CHARS = 1000

/** What assistants are working on, and their last actions. */
export const createSessionTools = (ports: SessionPorts): Tool[] => [
  defineTool({
    name: 'sessions_list',
    title: 'List sessions',
    description:
      "The assistants' sessions as the dashboard shows them: task, phase, criteria, agents, ratings; active ones first.",
    input: z.object({
      active: z.boolean().default(false).describe('only active sessions'),
      limit: limitOf(20, 200),
    }),
    output: algorithmView.extend({ total: z.int() }),
    run: async ({ active, limit }) => {
      const view = await readView(ports)
      const sessions = view.algorithms.filter((session) => !active || session.active)
      return { ...view, algorithms: sessions.slice(0, limit), total: sessions.length }
    },
  }),
  defineTool({
    name: 'events_recent',
    title: 'Recent events',
    description:
      'The last tool calls, failures, subagents and announcements of all sessions, newest first. Long texts are cut.',
    input: z.object({
      source: z.enum(EVENT_SOURCE_NAMES).optional(),
      session: z.string().max(200).optional().describe("a host session's id"),
      limit: limitOf(30, 200),
    }),
    output: z.object({
      total: z.int(),
      events: z.array(stewardEvent),
      /** Sources that cannot be read, and why. */
      failed: z.record(z.string(), z.string()),
    }),
    run: async ({ source, session, limit }, { redactor }) => {
      const { events, failed } = await collectEvents(ports.home)
      const wanted = events.filter(
        (event) =>
          (source === undefined || event.source === source) &&
          (session === undefined || event.session_id === session),
      )
      return {
        total: wanted.length,
        events: wanted
          .slice(0, limit)
          .map((event) =>
            stewardEvent.parse(shortenValues(redactor.redact(event).value, EVENT_TEXT_CHARS)),
          ),
        failed: Object.fromEntries(
          Object.entries(failed).map(([name, error]) => [name, error.message]),
        ),
      }
    },
  }),
]

/** The response of `/api/algorithm`; empty before the first session. */
const readView = async ({ home, now, settings }: SessionPorts): Promise<AlgorithmView> => {
  const state = await readWorkState(home)
  if (!state.ok && state.error.code !== 'work_state_missing') throw state.error
  const { rows } = await readTail(eventLogPath(home, 'subagent'), { rows: SUBAGENT_ROWS })
  const agents = pairSubagents(rows.map(({ row }) => normaliseEvent('subagent', row)))
  return describeWorkState(state.ok ? state.value : { sessions: {} }, {
    nowMs: now(),
    thresholds: thresholdsOf(await settings()),
    agents,
  })
}

const thresholdsOf = ({ sessions }: Settings) => ({
  nativeMs: sessions.staleNativeMinutes * 60_000,
  startingMs: sessions.staleStartingMinutes * 60_000,
})
