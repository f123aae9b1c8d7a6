import type { AttentionAnswer, AttentionEntry } from '@steward/contract'
import { until } from './machine.ts'
import { type Kind, needsPermission, type Session, type Subject } from './subject.ts'
import type { Way } from './ways.ts'
import type { World } from './world.ts'

/** One assistant in a session, and one way to answer it. */
export interface Stage {
  world: World
  subject: Subject
  session: Session
  way: Way
}

/** Fails by throwing. */
type Scene = (stage: Stage, turn: Turn) => Promise<void>

interface Turn {
  kind: Kind
  task: string
  entry: AttentionEntry
  steps: number
}

const YES: Readonly<Record<Kind, AttentionAnswer>> = {
  permission: { decision: 'allow' },
  tool: { decision: 'allow' },
  // At the terminal the first option is chosen, so that it shows who answered.
  question: { choice: 'Red' },
  plan: { decision: 'allow' },
  form: { content: { colour: 'Red' } },
}
const NO: AttentionAnswer = { decision: 'deny' }

/** Asks, waits until it is shown this way, and lets the scene play. */
export const play = async (stage: Stage, kind: Kind, scene: Scene): Promise<void> => {
  const { world, subject, session, way } = stage
  const task = `TASK-${Math.random().toString(36).slice(2, 10)}`
  const steps = subject.steps[kind]?.(task)
  if (steps === undefined) throw new Error(`it does not ask for a ${kind}`)
  world.vendor.script(task, steps)
  await session.tell(`Carry out ${task}`, kind)
  const entry = await until('it waits for an answer', async () =>
    (await world.waiting()).find(({ preview }) => preview.includes(task)),
  )
  if (entry.kind !== (needsPermission(kind) ? 'permission' : kind))
    throw new Error(`it is listed as a ${entry.kind}`)
  await way.ready(entry)
  await scene(stage, { kind, task, entry, steps: steps.length })
  await session.settle()
}

/** Waits until the request is closed; returns why, as an answer that comes later is told. */
const closing = async ({ world }: Stage, { entry }: Turn): Promise<string> => {
  await until('the request is closed', async () => {
    const open = await world.waiting()
    return !open.some(({ id }) => id === entry.id)
  })
  const { status, body } = await world.api(`/api/attention/${entry.id}/answer`, NO)
  if (status !== 409) throw new Error(`it is not closed: ${status} ${body}`)
  return body
}

const expectClosed = async (stage: Stage, turn: Turn, words: string | RegExp): Promise<void> => {
  const reason = await closing(stage, turn)
  if (!new RegExp(words).test(reason)) throw new Error(`it is closed otherwise: ${reason}`)
}

const resultOf = ({ world }: Stage, { task, steps }: Turn): Promise<string> =>
  until('the model gets the result', () => world.vendor.resultsOf(task)[steps - 1])

/** What shows that the model got this answer. */
const WORD: Readonly<Record<Kind, RegExp>> = {
  permission: /./,
  tool: /./,
  question: /Red/,
  plan: /approved/i,
  form: /Red/,
}

const expectRuns = ({ world }: Stage, { kind, task }: Turn, runs: number): void => {
  const found = world.runsOf(task)
  if (needsPermission(kind) && found !== runs) throw new Error(`it ran ${found} times, not ${runs}`)
}

const answered: Scene = async (stage, turn) => {
  const { way } = stage
  await way.give(turn.entry, YES[turn.kind])
  const result = await resultOf(stage, turn)
  if (!WORD[turn.kind].test(result)) throw new Error(`the model got ${result}`)
  expectRuns(stage, turn, 1)
  await expectClosed(stage, turn, way.answerer)
  await way.gone(turn.entry)
}

const replayed: Scene = async (stage, turn) => {
  await answered(stage, turn)
  await stage.way.replay(turn.entry)
  await stage.session.settle()
  expectRuns(stage, turn, 1)
}

/** Forged answers allow it, the real one denies it, and then all of them are sent again. */
const forged: Scene = async (stage, turn) => {
  const { way } = stage
  await way.forge(turn.entry)
  await way.give(turn.entry, NO)
  await expectClosed(stage, turn, way.answerer)
  await way.replay(turn.entry)
  await stage.session.settle()
  expectRuns(stage, turn, 0)
}

const untilAsking = async ({ session }: Stage, { kind }: Turn): Promise<void> => {
  await until('its own prompt is shown', () => session.isAsking?.(kind))
}

const pressWhenAsked = async (stage: Stage, turn: Turn, isYes: boolean): Promise<void> => {
  await untilAsking(stage, turn)
  await stage.session.press?.(turn.kind, isYes)
}

const atMachineFirst =
  (isYes: boolean): Scene =>
  async (stage, turn) => {
    const { way } = stage
    const send = await way.prepare(turn.entry, isYes ? lateOf(turn.kind) : YES[turn.kind])
    await pressWhenAsked(stage, turn, isYes)
    await expectClosed(stage, turn, /in the terminal|does not wait here any more/)
    await send()
    await way.gone(turn.entry)
    if (isYes) {
      const result = await resultOf(stage, turn)
      if (turn.kind === 'question' && !/Blue/.test(result)) throw new Error(`it got ${result}`)
    }
    await stage.session.settle()
    expectRuns(stage, turn, isYes ? 1 : 0)
  }

const lateOf = (kind: Kind): AttentionAnswer => (needsPermission(kind) ? NO : YES[kind])

/** The assistant takes a yes for this only at its own prompt. */
const ownPromptDecides: Scene = async (stage, turn) => {
  const { way, session, world } = stage
  const isListed = async (): Promise<boolean> =>
    (await world.listed()).some(
      ({ session_id, kind, answer }) =>
        session_id === turn.entry.session_id &&
        kind === 'permission' &&
        answer.where === 'terminal',
    )
  await way.give(turn.entry, YES[turn.kind])
  await expectClosed(stage, turn, way.answerer)
  expectRuns(stage, turn, 0)
  await until('it is listed again', isListed)
  await pressWhenAsked(stage, turn, true)
  await resultOf(stage, turn)
  await session.settle()
  expectRuns(stage, turn, 1)
  if (await isListed()) throw new Error('it is listed although it went on')
}

/** One of two answers counts, and the command runs only if the one that allows it did. */
const bothAtOnce: Scene = async (stage, turn) => {
  const { world, session, way, subject } = stage
  const { kind, entry, task } = turn
  const other = needsPermission(kind) ? NO : YES[kind]
  if (session.press === undefined || subject.hidesPrompt) {
    const api = world.api(`/api/attention/${entry.id}/answer`, { decision: 'allow' })
    const [first] = await Promise.all([api, way.give(entry, other).catch(() => undefined)])
    await session.settle()
    const isAllowed = first.status === 200
    expectRuns(stage, turn, isAllowed ? 1 : 0)
    await expectClosed(stage, turn, isAllowed ? 'the owner' : way.answerer)
    return
  }
  const { press } = session
  await untilAsking(stage, turn)
  await Promise.all([press(kind, true), way.give(entry, other).catch(() => undefined)])
  const reason = await closing(stage, turn)
  await session.settle()
  // OpenCode ends a turn in which something is refused, without another request to the model.
  const [result = ''] = world.vendor.resultsOf(task)
  const isOurs = reason.includes(way.answerer)
  const runs = world.runsOf(task)
  // The terminal may have been a moment faster than an answer that was accepted.
  const isRight =
    kind === 'question'
      ? /Blue|Red/.test(result) && (isOurs || /Blue/.test(result))
      : runs === 1 || (runs === 0 && isOurs)
  if (!isRight) throw new Error(`${runs} runs, ${result}, ${reason}`)
}

/** The phone answers while no daemon runs. */
const daemonKilled: Scene = async (stage, turn) => {
  const { world, way } = stage
  await world.killDaemon()
  const isOwner = way.answerer === 'the owner of the data home'
  if (!isOwner) await way.give(turn.entry, YES[turn.kind])
  await world.startDaemon()
  if (isOwner) {
    const again = await until('it waits again', async () =>
      (await world.waiting()).find(({ id }) => id === turn.entry.id),
    )
    await way.give(again, YES[turn.kind])
  }
  const result = await resultOf(stage, turn)
  if (!WORD[turn.kind].test(result)) throw new Error(`the model got ${result}`)
  expectRuns(stage, turn, 1)
  await expectClosed(stage, turn, way.answerer)
}

/** No answer comes in time: the late answer changes nothing, and the assistant's own prompt decides. */
const expired: Scene = async (stage, turn) => {
  const { session, way } = stage
  const send = await way.prepare(turn.entry, YES[turn.kind])
  await expectClosed(stage, turn, 'expired')
  await send()
  expectRuns(stage, turn, 0)
  const isAtMachine = session.press !== undefined
  if (isAtMachine) await pressWhenAsked(stage, turn, true)
  const result = await resultOf(stage, turn)
  if (turn.kind === 'question' && /Blue/.test(result) !== isAtMachine)
    throw new Error(`the model got ${result}`)
  await session.settle()
  expectRuns(stage, turn, isAtMachine ? 1 : 0)
}

export const SCENES = {
  answered,
  replayed,
  forged,
  'terminal first, yes': atMachineFirst(true),
  'terminal first, no': atMachineFirst(false),
  'own prompt decides': ownPromptDecides,
  'both at once': bothAtOnce,
  'daemon killed': daemonKilled,
  expired,
} as const satisfies Record<string, Scene>
export type SceneName = keyof typeof SCENES
export const SCENE_NAMES = Object.keys(SCENES).filter((name): name is SceneName => name in SCENES)
