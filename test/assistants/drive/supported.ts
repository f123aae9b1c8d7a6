import { ASSISTANTS } from '@steward/assistants'
import { expectSame } from './expect-same.ts'
import { nextTask } from './play-task.ts'
import { getDriven, outputOf } from './record.ts'
import { idle, start } from './session.ts'
import type { Scene } from './stage.ts'

/** What the table of docs/assistants-as-workers.md says: modes, plan, and a budget or its refusal. */
export const supported: Scene = {
  name: 'modes, plan and cost as documented',
  play: async (stage) => {
    const { machine, model, subject } = stage
    const spec = await ASSISTANTS[subject.assistant].loadDrive?.()
    if (spec === undefined) throw new Error('it cannot be driven')
    const refuse = async (...options: string[]): Promise<string> => {
      const common = ['sessions', 'start', '--assistant', subject.assistant, '--worktree', '--json']
      const { code, stderr } = await machine.steward(...common, ...options, 'hello')
      return code === 0 ? 'nothing' : stderr
    }
    const said = await refuse('--mode', 'no-such-mode')
    const modes = /has the modes ([\w, -]+)/.exec(said)?.[1]?.split(', ') ?? [said]
    expectSame({ modes: modes.toSorted() }, { modes: spec.modes.toSorted() })
    if (!spec.reportsCost && !/cost/.test(await refuse('--budget', '1')))
      throw new Error('a budget is accepted, though it does not report its cost')
    const task = nextTask()
    model.set(task, { steps: [() => subject.plan, () => ({ type: 'text', text: 'Planned.' })] })
    const { id } = await start(stage, `${task} make a plan`)
    await idle(machine, id)
    const reportsPlan = (await outputOf(machine, id)).some(
      ({ kind, text }) => kind === 'plan' && text.includes('Look'),
    )
    const reportsCost = (await getDriven(machine, id)).costUsd !== null
    expectSame(
      { reportsPlan, reportsCost },
      { reportsPlan: spec.reportsPlan, reportsCost: spec.reportsCost },
    )
  },
}
