import {
  answerHost,
  callAt,
  guardLaunch,
  haltDraft,
  haltOf,
  haltVerdict,
  judgeEvent,
  keepPolicy,
  securityDrafts,
  verdictOf,
} from '@steward/assistants'
import {
  API,
  type HostEvent,
  type HostName,
  type HostVerdict,
  isJsonObject,
  type JsonObject,
  type Judgement,
  type ModuleHealth,
  parseJson,
  reasonOf,
  type SecurityEventDraft,
  type Settings,
} from '@steward/contract'
import {
  appendSecurityEvent,
  type Halt,
  type Home,
  type Redactor,
  readHalts,
  type StartTimer,
} from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import { type DaemonModule, handle } from '../../module.ts'
import { createCounts } from './counts.ts'
import { createNoticeLimit } from './notice-limit.ts'
import { readPayload } from './read-payload.ts'
import { createSeenCalls } from './seen-calls.ts'

export interface GuardsModulePorts {
  home: Home
  homedir: string
  bus: Bus
  log: Log
  now: () => number
  setTimer: StartTimer
  settings: () => Pick<Settings, 'guards' | 'watchdog'>
  redactor: () => Pick<Redactor, 'redactText'>
  /** The daemon's environment; it determines the folders of hosts. */
  processEnvironment: Readonly<Record<string, string | undefined>>
  /** Resolves symbolic links. */
  realPath: (path: string) => string
  /** The command that starts Steward, also outside of a clone's folder. */
  commandLine: string
}

const RECORD_WAIT_MS = 500

/** Answers hosts before a tool call: refuses, asks or hints; never allows, and never fails. */
export const createGuardsModule = (ports: GuardsModulePorts): DaemonModule => {
  const { home, homedir, bus, log, now, settings, redactor } = ports
  const policyNow = keepPolicy(home, homedir)
  const mayTell = createNoticeLimit(now)
  const counts = createCounts()
  const isSeen = createSeenCalls(now)
  const unwritten = new Set<Promise<void>>()
  let isFirstLook = true
  let warned: string | undefined
  let recordFault: string | undefined

  const readPolicy = () => {
    const state = policyNow()
    const { kind, text } = state.problem ?? {}
    // A policy that never existed is not worth a warning; one that disappears is.
    const say = kind === 'missing' && isFirstLook ? log.info : log.warn
    isFirstLook = false
    if (text !== undefined && text !== warned) say(`hooks: ${text}`)
    warned = text
    return state
  }

  const haltedBy = async (event: HostEvent): Promise<Halt | undefined> => {
    const halts = await readHalts(home)
    if (halts.ok) return haltOf(event, halts.value)
    log.error(`hooks: halts cannot be read: ${halts.error.message}`)
    return undefined
  }

  const write = async (drafts: readonly SecurityEventDraft[]): Promise<void> => {
    for (const draft of drafts) {
      try {
        await appendSecurityEvent(home, draft, { redactor: redactor(), now })
        recordFault = undefined
        bus.publish('live.changed', { topics: ['security'] })
      } catch (thrown) {
        recordFault = `a security event was not written: ${reasonOf(thrown)}`
        log.error(`hooks: ${recordFault}`)
      }
    }
  }

  /** The answer must not wait for a slow disk, because the host has a timeout. */
  const record = async (drafts: readonly SecurityEventDraft[]): Promise<void> => {
    if (drafts.length === 0) return
    const writing = write(drafts).finally(() => unwritten.delete(writing))
    unwritten.add(writing)
    await written()
  }

  const written = async (): Promise<void> => {
    if (unwritten.size === 0) return
    let cancel = (): void => undefined
    const enough = new Promise<void>((resolve) => {
      cancel = ports.setTimer(RECORD_WAIT_MS, resolve)
    })
    await Promise.race([Promise.all(unwritten), enough])
    cancel()
  }

  const tell = ({ session_id }: HostEvent, { rule, reason, part }: Judgement): void => {
    if (!mayTell(JSON.stringify([session_id, rule]))) return
    // Cut after masking: half a secret would not be recognised.
    const shown = redactor().redactText(part).value.slice(0, 200)
    const message = `refused: ${reason}${shown === '' ? '' : ` (${shown})`}`
    bus.publish('notice', { kind: 'security', message, session_id })
  }

  const guardSkill = (event: HostEvent): HostVerdict => {
    counts.skillGuard.total++
    const verdict = guardLaunch({ ...event, tool_name: 'Skill' }, launchPlace())
    if (verdict.kind === 'deny') counts.skillGuard.blocked++
    else if (verdict.kind === 'context') counts.skillGuard.hinted++
    else counts.skillGuard.passed++
    return verdict
  }

  const guardAgent = (event: HostEvent): HostVerdict => {
    counts.agentGuard.total++
    const verdict = guardLaunch({ ...event, tool_name: 'Agent' }, launchPlace())
    if (verdict.kind === 'context') counts.agentGuard.warned++
    else counts.agentGuard.passed++
    return verdict
  }

  const launchPlace = () => ({
    home,
    homedir,
    env: ports.processEnvironment,
    blockedSkills: settings().guards.blockedSkills,
    silenceSeconds: settings().watchdog.silenceSeconds,
    command: ports.commandLine,
  })

  /** A hook says when it was started; a daemon that hung meanwhile reads it late. */
  const timed = (event: HostEvent, at: string | undefined) => (draft: SecurityEventDraft) => {
    const isPast = at !== undefined && Date.parse(at) <= now()
    return isPast ? { call: callAt(event, at), timestamp: at, ...draft } : draft
  }

  const guardSecurity = async (event: HostEvent, at: string | undefined): Promise<HostVerdict> => {
    const count = counts.securityGuard
    const judgement = judgeEvent(event, readPolicy().policy, {
      environment: ports.processEnvironment,
      realPath: ports.realPath,
    })
    if (isSeen(event)) {
      // The answer promises that the event is recorded.
      await written()
      return verdictOf(judgement)
    }
    count.total++
    await record(securityDrafts(event, judgement).map(timed(event, at)))
    if (judgement?.verdict === 'deny') {
      count.denied++
      tell(event, judgement)
    } else if (judgement?.verdict === 'ask') count.asked++
    else if (judgement?.verdict === 'alert') count.alerted++
    else count.passed++
    return verdictOf(judgement)
  }

  const answer = async (
    body: unknown,
    host: HostName | undefined,
    judge: (event: HostEvent) => HostVerdict | Promise<HostVerdict>,
    isOurs: (event: HostEvent) => boolean,
    at?: string,
  ): Promise<JsonObject> => {
    counts.requests++
    if (!isJsonObject(body)) {
      counts.malformed++
      return {}
    }
    const event = readPayload(body, host)
    try {
      const halt = await haltedBy(event)
      if (halt !== undefined) {
        if (!isSeen(event)) {
          counts.securityGuard.halted++
          await record([haltDraft(event, halt.reason)].map(timed(event, at)))
        }
        return inForm(event, haltVerdict(halt))
      }
      return isOurs(event) ? inForm(event, await judge(event)) : {}
    } catch (thrown) {
      log.error(`hooks: a guard failed: ${reasonOf(thrown)}`)
      const reason = 'The guard failed and cannot judge this; a person should check it.'
      return inForm(event, { kind: 'ask', reason })
    }
  }

  const isTool = (name: string) => (event: HostEvent) =>
    event.hook_event_name === 'PreToolUse' &&
    (event.tool_name === undefined || event.tool_name === name)

  return {
    name: 'hooks',
    handlers: [
      handle(API.guardSkill, ({ body, query }) =>
        answer(body, query.host, guardSkill, isTool('Skill')),
      ),
      handle(API.guardAgent, ({ body, query }) =>
        answer(body, query.host, guardAgent, isTool('Agent')),
      ),
      handle(API.guardSecurity, ({ body, query }) =>
        answer(
          body,
          query.host,
          (event) => guardSecurity(event, query.at),
          () => true,
          query.at,
        ),
      ),
    ],
    start: async () => {
      readPolicy()
    },
    stop: async () => {
      await Promise.all(unwritten)
    },
    health: (): ModuleHealth => {
      const { problem, policy } = readPolicy()
      const reasons = [problem?.text, recordFault].filter((text) => text !== undefined)
      const isBad = problem?.kind === 'broken' || recordFault !== undefined
      return {
        status: isBad ? 'degraded' : 'ok',
        ...(reasons.length === 0 ? {} : { reasons }),
        ...counts,
        policy: { source: policy.source, warnings: policy.warnings },
      }
    },
  }
}

/** The answer in the host's format; over HTTP it is only the body. */
const inForm = (event: HostEvent, verdict: HostVerdict): JsonObject => {
  const { stdout } = answerHost(event, verdict)
  const parsed = stdout === '' ? undefined : parseJson(stdout, 'an answer')
  return parsed?.ok && isJsonObject(parsed.value) ? parsed.value : {}
}
