import {
  API,
  type FailureGroup,
  type LadderItem,
  type LadderStage,
  type LearningSignal,
  type ModuleHealth,
  type NoveltyRun,
  reasonOf,
  type Settings,
} from '@steward/contract'
import {
  createFailureTracker,
  type Home,
  type Ladder,
  type Redactor,
  readLadder,
  readRatings,
  readSignals,
  resolveLadderRoot,
  type StartTimer,
} from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import { type DaemonModule, handle } from '../../module.ts'
import type { Execution } from '../../ports.ts'
import { type LearningWriter, openLearningWriter } from './learning-writer.ts'
import { listRecurring } from './list-recurring.ts'

export interface LearningModulePorts {
  home: Home
  homedir: string
  bus: Bus
  execution: Pick<Execution, 'listRuns'>
  /** Failures that are stored elsewhere: of runs and deliveries, and of notifications. */
  failuresSince: (sinceMs: number) => Promise<readonly FailureGroup[]>
  log: Log
  now: () => number
  setTimer: StartTimer
  settings: () => Pick<Settings, 'learning'>
  redactor: () => Redactor
}

/** Rows shown per log. */
const SHOWN_ROWS = 200
const SHOWN_RUNS = 50
/** Counts are saved at most this often; after a crash they are recounted from the log. */
const SAVE_AFTER_MS = 5_000

/** Learning: ratings, signals and failure patterns, and the ladder. */
export const createLearningModule = (ports: LearningModulePorts): DaemonModule => {
  const { home, homedir, bus, execution, failuresSince, log, now, setTimer, settings, redactor } =
    ports
  const tracker = createFailureTracker({ home, redactor, now })
  const endings: Array<() => void> = []
  const faults = new Map<string, string>()
  /** Kept until they are on disk; the position in the failure log is saved afterwards. */
  const unwritten: LearningSignal[] = []
  let writer: LearningWriter | undefined
  let strangeRows = 0
  let cancelSave: (() => void) | undefined
  let turn: Promise<void> = Promise.resolve()

  /** A fault stays in health until the same operation succeeds again. */
  const attempt = async (what: string, work: () => unknown): Promise<void> => {
    try {
      await work()
      faults.delete(what)
    } catch (thrown) {
      const reason = `${what}: ${reasonOf(thrown)}`
      if (faults.get(what) !== reason) log.error(`learning: ${reason}`)
      faults.set(what, reason)
    }
  }

  const save = () => attempt('failure patterns cannot be saved', () => tracker.save())
  const scheduleSave = (): void => {
    cancelSave ??= setTimer(SAVE_AFTER_MS, () => {
      cancelSave = undefined
      turn = turn.then(save)
    })
  }
  const catchUp = (): Promise<void> => {
    turn = turn.then(() =>
      attempt('tool failures cannot be counted', async () => {
        unwritten.push(...(await tracker.catchUp()))
        writer?.writeSignals(unwritten)
        unwritten.splice(0)
        scheduleSave()
      }),
    )
    return turn
  }

  const lastRuns = async (): Promise<NoveltyRun[]> => {
    const runs = await execution.listRuns(SHOWN_RUNS)
    return runs.map(({ id, primitive, name, status, startedAt, endedAt, durationMs, error }) => ({
      id,
      primitive,
      name,
      status,
      startedAt,
      endedAt,
      durationMs,
      error,
    }))
  }
  const getNovelty = handle(API.getNovelty, async () => {
    await catchUp()
    const ratings = await readRatings(home, SHOWN_ROWS, redactor())
    const signals = await readSignals(home, SHOWN_ROWS, redactor())
    strangeRows = ratings.strange + signals.strange
    return {
      runs: await lastRuns(),
      ratings: ratings.rows,
      signals: signals.rows,
      failurePatterns: tracker.patterns(),
    }
  })
  const listRecurringFailures = handle(API.listRecurringFailures, async ({ query }) => {
    await catchUp()
    return listRecurring(query.days, {
      now,
      failuresSince,
      patternsSince: tracker.patternsSince,
      mask: (text) => redactor().redactText(text).value,
    })
  })
  const getLadder = handle(API.getLadder, async () =>
    describeLadder(
      await readLadder(resolveLadderRoot(home, settings(), homedir)),
      (text) => redactor().redactText(text).value,
    ),
  )

  return {
    name: 'learning',
    handlers: [getNovelty, listRecurringFailures, getLadder],
    start: async () => {
      writer = await openLearningWriter(home, redactor)
      const { startedOver } = await tracker.open()
      if (startedOver !== undefined) {
        log.warn(`learning: failure patterns are recounted: ${startedOver.message}`)
      }
      await catchUp()
      endings.push(
        bus.subscribe('events.arrived', ({ events }) => {
          void attempt('ratings and signals cannot be written', () => writer?.takePrompts(events))
          if (events.some(({ source }) => source === 'tool-failure')) void catchUp()
        }),
      )
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
      cancelSave?.()
      await turn
      await save()
      await tracker.close()
    },
    health: (): ModuleHealth => ({
      status: faults.size === 0 ? 'ok' : 'degraded',
      ...(faults.size === 0 ? {} : { reasons: [...faults.values()] }),
      failurePatterns: tracker.patterns().length,
      strangeRows,
    }),
  }
}

const describeLadder = (
  { available, entries, problems }: Ladder,
  mask: (text: string) => string,
) => {
  const itemsOf = (wanted: LadderStage): LadderItem[] =>
    entries
      .filter((entry) => entry.stage === wanted)
      .map(({ stage, file, text, ...item }) => ({
        ...item,
        title: mask(item.title),
        ...(text === undefined ? {} : { text: mask(text) }),
      }))
  return {
    available,
    sources: itemsOf('sources'),
    ideas: itemsOf('ideas'),
    hypotheses: itemsOf('hypotheses'),
    experiments: itemsOf('experiments'),
    algorithms: itemsOf('algorithms'),
    results: itemsOf('results'),
    problems: [...problems],
  }
}
