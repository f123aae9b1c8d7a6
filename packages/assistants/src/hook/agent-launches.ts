import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, type JsonObject, parseJson } from '@steward/contract'
import {
  type Home,
  isMissing,
  isNewer,
  listIfPresentSync,
  readIfPresentSync,
  takeVersionOf,
  withVersion,
} from '@steward/platform'
import { textOf } from '../payload/fields.ts'

/**
 * The launching call's data, kept until the agent starts and ends, because hosts then only send the
 * agent's own id. One small file each, so that concurrent hooks need no lock.
 */
export interface AgentLaunches {
  remember: (toolUseId: string, launch: JsonObject) => void
  /** The launch of an agent that starts; uncertain fields are omitted. */
  claim: (agentId: string, agentType: string | undefined, startedAtMs: number) => JsonObject
  /** The call's answer names its agent, so nothing needs to be inferred from here on. */
  link: (agentId: string, launch: JsonObject) => void
  /** The known data of an agent that ends, with `startedAtMs`. */
  finish: (agentId: string) => JsonObject
  /** Whether an agent started lately has not ended. */
  areRunning: (nowMs: number) => boolean
  /** The agent that runs, if it is the only one. */
  findOnly: (nowMs: number) => { agent_id: string; agent_type: string | undefined } | undefined
  /** The call returned, or the turn ended. */
  forget: (toolUseId?: string) => void
  forgetSession: () => void
}

export const openAgentLaunches = (
  home: Pick<Home, 'databases'>,
  sessionId: string,
): AgentLaunches => {
  const folder = join(home.databases, 'agent-launches', fileNameOf(sessionId))
  const launchPath = (id: string) => join(folder, `launch-${fileNameOf(id)}.json`)
  const agentPath = (id: string) => join(folder, `agent-${fileNameOf(id)}.json`)

  const pending = (): Array<{ path: string; launch: JsonObject }> =>
    listIfPresentSync(folder)
      .filter((name) => name.startsWith('launch-'))
      .flatMap((name) => {
        const path = join(folder, name)
        const launch = readFields(path)
        return launch === undefined ? [] : [{ path, launch }]
      })

  const running = (nowMs: number): JsonObject[] =>
    listIfPresentSync(folder)
      .filter((name) => name.startsWith('agent-'))
      .map((name): JsonObject => readFields(join(folder, name)) ?? {})
      .filter(({ startedAtMs: at }) => typeof at === 'number' && nowMs - at < LONGEST_RUN_MS)

  const write = (path: string, fields: JsonObject): void => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(path, JSON.stringify(withVersion(fields)), { mode: 0o600 })
  }

  return {
    remember: (toolUseId, launch) => write(launchPath(toolUseId), launch),
    claim: (agentId, agentType, startedAtMs) => {
      const fitting = pending().filter(({ launch }) => fits(launch, agentType))
      const { agent_id: _id, ...known } =
        readFields(agentPath(agentId)) ?? settle(fitting, agentPath(agentId))
      write(agentPath(agentId), { ...known, agent_id: agentId, startedAtMs })
      return known
    },
    link: (agentId, launch) =>
      write(agentPath(agentId), { ...readFields(agentPath(agentId)), ...launch }),
    finish: (agentId) => {
      const path = agentPath(agentId)
      const known = readFields(path) ?? {}
      rmSync(path, { force: true })
      const { agent_id: _id, ...launch } = known
      return launch
    },
    areRunning: (nowMs) => running(nowMs).length > 0,
    findOnly: (nowMs) => {
      const [only, ...others] = running(nowMs)
      const id = only && textOf(only, 'agent_id')
      if (only === undefined || id === undefined || others.length > 0) return undefined
      return { agent_id: id, agent_type: textOf(only, 'subagent_type') }
    },
    forget: (toolUseId) => {
      if (toolUseId !== undefined) rmSync(launchPath(toolUseId), { force: true })
      else for (const { path } of pending()) rmSync(path, { force: true })
    },
    forgetSession: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The end of an older agent was lost. */
const LONGEST_RUN_MS = 3_600_000

const fits = (launch: JsonObject, agentType: string | undefined): boolean =>
  agentType === undefined ||
  typeof launch.subagent_type !== 'string' ||
  launch.subagent_type === agentType

/** With several candidates only their common fields are known. */
const settle = (
  fitting: ReadonlyArray<{ path: string; launch: JsonObject }>,
  agentPath: string,
): JsonObject => {
  const [first] = fitting
  if (first === undefined) return {}
  if (fitting.length > 1) {
    const { run_in_background } = first.launch
    const agree = fitting.every(({ launch }) => launch.run_in_background === run_in_background)
    return agree && run_in_background !== undefined ? { run_in_background } : {}
  }
  return take(first.path, agentPath) ? first.launch : {}
}

/** The rename is atomic: an agent that starts at the same moment finds the file gone. */
const take = (from: string, to: string): boolean => {
  try {
    renameSync(from, to)
    return true
  } catch (thrown) {
    if (isMissing(thrown)) return false
    throw thrown
  }
}

const readFields = (path: string): JsonObject | undefined => {
  const parsed = parseJson(readIfPresentSync(path) ?? '', path)
  if (!parsed.ok || !isJsonObject(parsed.value) || isNewer(parsed.value)) return undefined
  return takeVersionOf(parsed.value, path)
}

const LONGEST_NAME = 180

/** Ids come from hosts and may contain any characters. */
const fileNameOf = (id: string): string => {
  const safe = id.replaceAll(/[^\w-]/g, (char) => `.${char.codePointAt(0)?.toString(16)}`)
  return safe.slice(0, LONGEST_NAME) || 'none'
}
