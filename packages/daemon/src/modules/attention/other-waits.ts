import { join } from 'node:path'
import {
  type FlowState,
  flowState,
  OBSERVER_VERDICTS_FILE,
  observerVerdict,
} from '@steward/contract'
import { type Home, readHalts, readStateFile, readTail } from '@steward/platform'
import type { HostedCalls } from '../../ports.ts'
import type { OpenEntry } from './attention-entries.ts'

const NO_FLOWS: FlowState = { version: 1, updatedAt: new Date(0).toISOString(), flows: {} }

/** Ids of calls of hosted agents. */
const HOSTED = /^hosted:([^:]+):([^:]+)$/

/** The session and call of an entry of a hosted agent. */
export const readHostedId = (id: string): { sessionId: string; callId: string } | undefined => {
  const [, sessionId, callId] = HOSTED.exec(id) ?? []
  return sessionId === undefined || callId === undefined ? undefined : { sessionId, callId }
}

/** Calls of hosted agents that need a permission. */
export const listHostedWaits = async (hosted: HostedCalls): Promise<OpenEntry[]> =>
  (await hosted.waiting()).map(({ sessionId, name, callId, tool, input, at }) => ({
    id: `hosted:${sessionId}:${callId}`,
    session_id: sessionId,
    name: name,
    project: '',
    host: 'hosted',
    kind: 'permission',
    tool,
    preview: `${tool}: ${input}`,
    since: at,
    answer: {
      where: 'here',
      until: null,
      decides: true,
      questions: [],
      fields: [],
      takesText: false,
    },
  }))

const VERDICT_ROWS = 200
/** Escalations of sessions that are over would otherwise stay. */
const ESCALATED_MS = 3_600_000

/** Sessions whose latest verdict of the last hour is an escalation. */
export const listEscalations = async (
  home: Pick<Home, 'root'>,
  command: string,
  nowMs: number,
): Promise<OpenEntry[]> => {
  const { rows } = await readTail(join(home.root, OBSERVER_VERDICTS_FILE), { rows: VERDICT_ROWS })
  const verdicts = rows.flatMap(({ row }) => observerVerdict.safeParse(row).data ?? [])
  const latest = new Map(verdicts.map((verdict) => [verdict.session_id, verdict]))
  return [...latest.values()]
    .filter(({ escalated, decision }) => escalated && decision !== 'halt')
    .filter(({ timestamp }) => Date.parse(timestamp) > nowMs - ESCALATED_MS)
    .map(({ session_id, reason, timestamp }) => ({
      id: `escalation:${session_id}:${Date.parse(timestamp)}`,
      session_id,
      name: '',
      project: '',
      host: '',
      kind: 'blocked',
      tool: null,
      preview: `Observers escalated it: ${reason}`,
      since: timestamp,
      answer: { where: 'command', command: `${command} observe --session ${session_id} --once` },
    }))
}

/** Flows that a mistake in their configuration stops, and sessions that observers or budgets halted. */
export const listStopped = async (
  home: Pick<Home, 'flowState' | 'root' | 'stateDir'>,
  command: string,
): Promise<OpenEntry[]> => {
  const [flows, halts] = await Promise.all([
    readStateFile(home.flowState, flowState, NO_FLOWS),
    readHalts(home),
  ])
  const blocked = Object.values(flows.ok ? flows.value.flows : {}).flatMap(
    ({ id, name, enabled, blocked: block }): OpenEntry[] =>
      block === null || !enabled
        ? []
        : [
            {
              id: `flow:${id}`,
              session_id: '',
              name: name,
              project: '',
              host: '',
              kind: 'blocked',
              tool: null,
              preview: block.reason,
              since: block.since,
              answer: { where: 'command', command: `${command} trigger ${name}` },
            },
          ],
  )
  const halted = (halts.ok ? halts.value : []).map(
    ({ session_id, reason, at, by }): OpenEntry => ({
      id: `halt:${session_id}`,
      session_id,
      name: '',
      project: '',
      host: '',
      kind: 'blocked',
      tool: null,
      preview: `Halted by ${by}: ${reason}`,
      since: at,
      answer: { where: 'command', command: `${command} observe lift ${session_id}` },
    }),
  )
  return [...blocked, ...halted]
}
