import { keepPolicy, openDraftPolicy, type PolicyState } from '@steward/assistants'
import {
  API,
  LIMITS,
  type ModuleHealth,
  type PolicyEdit,
  reasonOf,
  type SecurityLogCheck,
  type SecurityOverview,
  StewardError,
  unwrap,
} from '@steward/contract'
import {
  changeSecurityText,
  createSecurityCounter,
  type Home,
  type Redactor,
  readSecurityEvents,
  readSecurityText,
  type SecurityChanged,
  undoSecurityChange,
  verifySecurityLog,
} from '@steward/platform'
import { editPolicy, parsePolicy } from '@steward/policy'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import { type Call, type DaemonModule, handle } from '../../module.ts'
import { addCommands, describeHooks, readDenied } from './describe-hooks.ts'
import { describePolicy, describePromptPatterns } from './describe-policy.ts'
import { judgeAttempt } from './judge-attempt.ts'
import { listEvents } from './list-events.ts'

export interface SecurityModulePorts {
  home: Home
  homedir: string
  bus: Bus
  log: Log
  now: () => number
  redactor: () => Pick<Redactor, 'redactText'>
  processEnvironment: Readonly<Record<string, string | undefined>>
}

const SHOWN_EVENTS = 30

/** The security page: policy and edits, events and their hash chain, hooks, and the test form. */
export const createSecurityModule = (ports: SecurityModulePorts): DaemonModule => {
  const { home, homedir, bus, log, now, redactor, processEnvironment } = ports
  const policyNow = keepPolicy(home, homedir)
  const countEvents = createSecurityCounter(home)
  const hooksPlace = { home, homedir, env: processEnvironment }
  let check: SecurityLogCheck | undefined
  let fault: string | undefined
  let checking: Promise<unknown> = Promise.resolve()

  const verify = async (): Promise<SecurityLogCheck> => {
    const before = check?.firstBroken?.why
    check = await verifySecurityLog(home)
    const { firstBroken } = check
    if (firstBroken !== undefined && firstBroken.why !== before) {
      log.error(`security: ${describeBroken(firstBroken)}`)
      bus.publish('notice', { kind: 'security', message: describeBroken(firstBroken) })
    }
    return check
  }

  const overview = async (): Promise<SecurityOverview> => {
    const policy = await readText('policy')
    const rules = await readText('rules')
    const { events } = await readSecurityEvents(home, { limit: SHOWN_EVENTS }, redactor())
    const { byRule, ...eventCounts } = await countEvents(now(), redactor())
    const hooks = Object.values(await describeHooks(hooksPlace))
    return {
      ...describePolicy(policyNow()),
      revision: policy.revision,
      events,
      eventCounts,
      ruleCounts: byRule,
      hooks: hooks.map(({ event, host, matcher, command, registered }) => ({
        type: event,
        host,
        matcher,
        command,
        status: registered ? 'active' : 'missing',
      })),
      denyList: readDenied(hooksPlace),
      securityRules: rules.text,
      rulesRevision: rules.revision,
      ...describePromptPatterns(),
    }
  }

  /** An unreadable file must not break the whole page; editing it reports the error. */
  const readText = async (file: 'policy' | 'rules') => {
    try {
      const { text = '', revision } = await readSecurityText(home, file)
      return { text, revision }
    } catch (thrown) {
      log.warn(`security: ${reasonOf(thrown)}`)
      return { text: '', revision: 'unreadable' }
    }
  }

  const answerChange = (action: string, changed: SecurityChanged) => {
    const { revision, undo, logFault } = changed
    fault = logFault === undefined ? undefined : `a change was not logged: ${logFault.message}`
    if (fault !== undefined) log.error(`security: ${fault}`)
    bus.publish('live.changed', { topics: ['security'] })
    return { ok: true, action, revision, undo } as const
  }
  const logPorts = () => ({ redactor: redactor(), now })

  const edit = async (change: PolicyEdit, call: Call) => {
    const today = new Date(now()).toISOString().slice(0, 10)
    let before = ''
    const changed = await changeSecurityText(
      home,
      {
        file: 'policy',
        expected: change.revision ?? ifMatch(call),
        action: change.action,
        // An entry given by its number alone is named as it was.
        target: () => targetOf(change, entryOf(change, before)),
        change: (text) => {
          before = text ?? ''
          return unwrap(editPolicy(text, change, today))
        },
      },
      logPorts(),
    )
    return answerChange(change.action, changed)
  }

  /** The policy as it is, or as a change would make it. */
  const policyFor = async (change: PolicyEdit | undefined): Promise<PolicyState> => {
    if (change === undefined) return policyNow()
    const { text } = await readSecurityText(home, 'policy')
    const today = new Date(now()).toISOString().slice(0, 10)
    return openDraftPolicy(home, homedir, unwrap(editPolicy(text, change, today)))
  }

  const clean = (text: string): string => redactor().redactText(text).value

  const simulate = async (change: PolicyEdit, signal: AbortSignal) => {
    const { policy: after } = await policyFor(change)
    const { policy: before } = policyNow()
    // The code is only loaded when it is needed.
    const { simulateRule } = await import('./simulate-rule.ts')
    return simulateRule(change, { before, after }, { home, nowMs: now(), signal, clean })
  }

  const saveRules = async (content: string, revision: string | undefined, call: Call) => {
    const bytes = Buffer.byteLength(content)
    if (bytes > LIMITS.securityRulesBytes) {
      const limit = LIMITS.securityRulesBytes
      throw new StewardError('payload_too_large', { subject: 'SECURITY_RULES.md', bytes, limit })
    }
    const expected = revision ?? ifMatch(call)
    const changed = await changeSecurityText(
      home,
      {
        file: 'rules',
        expected,
        action: 'save_rules',
        target: `${bytes} bytes`,
        change: () => content,
      },
      logPorts(),
    )
    return answerChange('save_rules', changed)
  }

  return {
    name: 'security',
    handlers: [
      handle(API.getSecurity, async () => {
        const body = await overview()
        const headers = { 'content-type': 'application/json', etag: `"${body.revision}"` }
        return new Response(JSON.stringify(body), { headers })
      }),
      handle(API.editSecurityPatterns, ({ body }, call) => edit(body, call)),
      handle(API.saveSecurityRules, ({ body }, call) =>
        saveRules(body.content, body.revision, call),
      ),
      handle(API.undoSecurityChange, async ({ body }) =>
        answerChange('undo', await undoSecurityChange(home, body.undo, logPorts())),
      ),
      handle(API.getSecurityHooks, () => describeHooks(hooksPlace)),
      handle(API.getHooksDetail, async () => addCommands(await describeHooks(hooksPlace))),
      handle(API.trySecurity, async ({ body }) =>
        judgeAttempt(body, await policyFor(body.edit), {
          homedir,
          environment: processEnvironment,
          clean,
        }),
      ),
      handle(API.simulateSecurity, ({ body }, { signal }) => simulate(body.edit, signal)),
      handle(API.listSecurityEvents, ({ query }) =>
        listEvents(query, (page) => readSecurityEvents(home, page, redactor())),
      ),
      handle(API.verifySecurity, verify),
    ],
    // Not awaited, because long logs take a while.
    start: async () => {
      checking = verify().catch((thrown: unknown) => {
        fault = `the security log cannot be verified: ${reasonOf(thrown)}`
        log.error(`security: ${fault}`)
      })
    },
    stop: async () => {
      await checking
    },
    health: (): ModuleHealth => {
      const broken = check?.firstBroken
      const reasons = [broken === undefined ? undefined : describeBroken(broken), fault].filter(
        (reason) => reason !== undefined,
      )
      return {
        status: reasons.length === 0 ? 'ok' : 'degraded',
        ...(reasons.length === 0 ? {} : { reasons }),
        logRows: check?.rows ?? null,
        logTorn: check?.torn ?? null,
      }
    },
  }
}

const describeBroken = ({
  file,
  line,
  why,
}: NonNullable<SecurityLogCheck['firstBroken']>): string =>
  `the security log was altered: ${file}${line > 0 ? `, line ${line}` : ''}: ${why}`

const ifMatch = (call: Call): string | undefined => {
  const given = call.header('if-match')?.trim()
  return given === undefined || given === '*' ? undefined : given.replace(/^(?:W\/)?"|"$/g, '')
}

/** The entry that an edit changes or removes, from the text before it. */
const entryOf = (edit: PolicyEdit, before: string): string => {
  if (!('index' in edit) || edit.index === undefined) return ''
  const policy = parsePolicy(before)
  if (!policy.ok) return ''
  const { paths, bash } = policy.value.policy
  if ('tier' in edit) return paths[edit.tier][edit.index] ?? ''
  return bash[edit.section][edit.index]?.pattern ?? ''
}

const targetOf = (edit: PolicyEdit, entry: string): string => {
  if (edit.action === 'set_shadow') return `${edit.shadow ? 'on' : 'off'}: ${edit.rule}`
  const index = 'index' in edit && edit.index !== undefined ? `[${edit.index}]` : ''
  if ('tier' in edit) return `paths.${edit.tier}${index}: ${changeOf(entry, edit.path)}`
  return `bash.${edit.section}${index}: ${changeOf(entry, edit.pattern)}`
}

const changeOf = (before: string, after: string | undefined): string =>
  before === '' || after === undefined || after === before
    ? (after ?? before)
    : `${before} → ${after}`
