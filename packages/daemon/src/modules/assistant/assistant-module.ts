import { API, type ModuleHealth, reasonOf, StewardError } from '@steward/contract'
import { dayOf, formatInZone, isZone, systemZone } from '@steward/engine'
import { readRatings } from '@steward/platform'
import { type DaemonModule, handle } from '../../module.ts'
import type { AssistantCharacter, ScheduledJobs } from '../../ports.ts'
import { composeContext, isAlgorithmOn } from './context/compose-context.ts'
import { readDiary } from './diary/diary.ts'
import { createDiaryKeeper } from './diary/diary-keeper.ts'
import { createAssistantFiles } from './files/assistant-files.ts'
import { readAvatar } from './identity/avatar.ts'
import { createIdentityHandlers } from './identity/identity-handlers.ts'
import { readPersonality } from './identity/personality.ts'
import { readIdentity } from './identity/read-identity.ts'
import { speakInCharacter } from './identity/speak-in-character.ts'
import { createOpinionHandlers } from './opinions/opinion-handlers.ts'
import { readOpinions } from './opinions/opinions.ts'
import { takeRatings } from './opinions/take-ratings.ts'
import type { AssistantModulePorts } from './ports.ts'
import { flowTasks, isFlowTaskId } from './tasks/flow-tasks.ts'
import { firingKey, performTask } from './tasks/perform-task.ts'
import { createScheduler, type ScheduledTasks, type Scheduler } from './tasks/scheduler.ts'
import { createSessionCrons } from './tasks/session-crons.ts'
import { isOpen, readTasks, setTaskStatus } from './tasks/task-file.ts'
import { createTaskHandlers } from './tasks/task-handlers.ts'
import { openTaskState, type TaskState } from './tasks/task-state.ts'

const READ_RATINGS = 500

export interface AssistantModule extends DaemonModule {
  character: AssistantCharacter
  jobs: ScheduledJobs
}

/** The assistant: identity, scheduled tasks, diary and opinions. */
export const createAssistantModule = (ports: AssistantModulePorts): AssistantModule => {
  const { home, bus, log, now, setTimer, settings, redactor } = ports
  const files = createAssistantFiles(home)
  const endings: Array<() => void> = []
  const faults = new Map<string, string>()
  const sessionCrons = createSessionCrons(log.warn)
  let state: TaskState | undefined
  let scheduler: Scheduler | undefined
  let turn: Promise<void> = Promise.resolve()

  const zone = (): string => {
    const wanted = settings().assistant.timezone
    if (wanted === undefined) return systemZone()
    if (isZone(wanted)) return wanted
    recordFault(
      'time zone',
      `${wanted} in settings.json is not a time zone; ${systemZone()} is used`,
    )
    return systemZone()
  }
  const today = (): string => dayOf(now(), zone())
  const publish = (): void => bus.publish('live.changed', { topics: ['assistant'] })
  const recordFault = (what: string, reason: string): void => {
    if (faults.get(what) !== reason) log.error(`assistant: ${what}: ${reason}`)
    faults.set(what, reason)
  }
  /** A fault stays in health until the same operation succeeds again. */
  const attempt = (what: string, work: () => Promise<unknown>): Promise<void> => {
    turn = turn.then(async () => {
      try {
        await work()
        faults.delete(what)
      } catch (thrown) {
        recordFault(what, reasonOf(thrown))
      }
    })
    return turn
  }
  const opened = (): TaskState => {
    if (state === undefined) {
      throw new StewardError('module_failed', { module: 'assistant', reason: 'it is not running' })
    }
    return state
  }

  /** Its tasks and the flows that run here; if one list cannot be read, the other still fires. */
  const readScheduled = async (): Promise<ScheduledTasks> => {
    const flows = await ports.execution.listFlows()
    const timed = flowTasks(flows ?? [])
    const isUnreadFlow = (id: string) => flows === undefined && isFlowTaskId(id)
    try {
      const { tasks } = await readTasks(files)
      return { tasks: [...tasks, ...timed], mayExist: isUnreadFlow }
    } catch (thrown) {
      return {
        tasks: timed,
        fault: thrown,
        mayExist: (id) => !isFlowTaskId(id) || isUnreadFlow(id),
      }
    }
  }

  const createdScheduler = (opened: TaskState): Scheduler =>
    createScheduler({
      state: opened,
      log,
      now,
      setTimer,
      zone,
      readTasks: readScheduled,
      perform: async (task, dueMs, signal) =>
        redactor().redactText(await performTask(task, dueMs, signal, ports)).value,
      onFailed: (task, dueMs, thrown) => {
        if (task.action.type === 'notify') return
        // A flow's run notifies of its own failure.
        if (thrown instanceof StewardError && thrown.details.isNotified === true) return
        const message = `${task.description}: ${reasonOf(thrown)}`
        bus.publish('notice', {
          kind: 'error',
          message,
          key: `${firingKey(task.id, dueMs)}:failed`,
        })
      },
      onOver: async ({ id }) => {
        await setTaskStatus(files, id, 'done')
      },
      onChange: publish,
    })

  const countRatings = () =>
    attempt('ratings cannot be counted as evidence', async () => {
      const { rows } = await readRatings(home, READ_RATINGS, redactor())
      const evidence = { files, state: opened(), nowMs: now(), day: today() }
      if (await takeRatings(rows.toReversed(), evidence)) publish()
    })
  const diary = createDiaryKeeper({ ...ports, files, zone, attempt, onChange: publish })

  const health = handle(API.getAssistantHealth, async () => {
    const reasons: string[] = [...faults.values()]
    const fault = scheduler?.fault()
    if (fault !== undefined) reasons.push(fault)
    const readOr = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
      try {
        return await read()
      } catch (thrown) {
        reasons.push(reasonOf(thrown))
        return undefined
      }
    }
    const identity = await readOr(() => readIdentity(files, settings()))
    await readOr(() => readPersonality(files))
    const tasks = await readOr(() => readTasks(files))
    const opinions = await readOr(() => readOpinions(files))
    await readOr(() => readAvatar(files.root))
    const { entries, problems } = await readDiary(files, 1)
    reasons.push(...(tasks?.problems ?? []), ...problems)
    const heartbeatMs = scheduler?.lastLookMs() ?? null
    const [reason] = reasons
    return {
      status: reasons.length === 0 ? ('ok' as const) : ('degraded' as const),
      ...(reason === undefined ? {} : { reason: [...new Set(reasons)].join('; ') }),
      primary_da: identity?.name ?? settings().daidentity.name ?? 'Steward',
      identity_loaded: identity !== undefined,
      scheduled_tasks: tasks?.tasks.filter(isOpen).length ?? 0,
      last_heartbeat: heartbeatMs === null ? null : new Date(heartbeatMs).toISOString(),
      diary_entries_today: entries.filter(({ date }) => date === today()).length,
      opinions_count: opinions?.opinions.length ?? 0,
    }
  })
  const readOrNone = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read()
    } catch (thrown) {
      log.warn(`assistant: ${reasonOf(thrown)}`)
      return undefined
    }
  }
  const readCharacter = async () => ({
    identity: await readOrNone(() => readIdentity(files, settings())),
    personality: await readOrNone(() => readPersonality(files)),
  })
  const getContext = handle(API.getSessionContext, async ({ body }) => {
    const { session_id: sessionId, cwd, skill: hasSkill } = body
    if (!isAlgorithmOn(settings().algorithm, cwd)) return { context: '' }
    const stamp = formatInZone(now(), zone()).replaceAll(/[-:]/g, '').slice(0, 15)
    const context = composeContext({
      sessionId,
      work: home.work,
      command: hasSkill ? 'steward' : ports.commandLine,
      stamp: stamp.replace('T', '-'),
      hasSkill,
      ...(await readCharacter()),
    })
    return { context: redactor().redactText(context).value }
  })

  return {
    name: 'assistant',
    character: {
      say: async (message) => {
        const { identity, personality } = await readCharacter()
        const traits = personality?.traits ?? {}
        return speakInCharacter(message, { traits, principal: identity?.principal ?? '' })
      },
    },
    jobs: {
      countJobs: async () => {
        const scheduled = (await readScheduled()).tasks.filter(({ status }) => status === 'active')
        const failing = scheduled.filter(({ id }) => state?.history(id, 1)[0]?.state === 'failed')
        return { scheduled: scheduled.length, failing: failing.length }
      },
    },
    handlers: [
      health,
      getContext,
      ...createIdentityHandlers({ ...ports, files, onChange: publish }),
      ...createTaskHandlers({
        ...ports,
        files,
        zone,
        state: opened,
        mustAsk: async () => (await readPersonality(files)).autonomy.must_ask,
        otherRows: () => [...diary.rows(), ...sessionCrons.rows(now(), zone())],
        onChange: async () => {
          await scheduler?.look()
          publish()
        },
      }),
      handle(API.listDiary, ({ query }) => readDiary(files, query.limit)),
      ...createOpinionHandlers({ files, state: opened, now, today, onChange: publish }),
    ],
    start: async () => {
      state = openTaskState(home)
      scheduler = createdScheduler(state)
      await scheduler.start()
      await countRatings()
      endings.push(
        bus.subscribe('events.arrived', ({ events }) => {
          // The learning module subscribed earlier, so it has already written the rating.
          if (events.some(({ type }) => type === 'user_prompt')) void countRatings()
          if (sessionCrons.take(events)) publish()
        }),
      )
      await sessionCrons.load(home)
      diary.start()
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
      diary.stop()
      await scheduler?.stop()
      await turn
      await state?.close()
    },
    health: (): ModuleHealth => {
      const fault = scheduler?.fault()
      const reasons = [...faults.values(), ...(fault === undefined ? [] : [fault])]
      return {
        status: reasons.length === 0 ? 'ok' : 'degraded',
        ...(reasons.length === 0 ? {} : { reasons }),
      }
    },
  }
}
