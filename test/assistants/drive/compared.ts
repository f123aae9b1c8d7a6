import { comparison } from '@steward/contract'
import type { Machine } from '../machine.ts'
import { expectSame } from './expect-same.ts'
import { nextTask } from './play-task.ts'
import type { Model } from './script.ts'
import { DRIVEN_SUBJECTS, type DrivenSubject } from './subjects.ts'

/** All four assistants, in two comparisons. */
export const PAIRS: ReadonlyArray<readonly DrivenSubject[]> = [
  DRIVEN_SUBJECTS.slice(0, 2),
  DRIVEN_SUBJECTS.slice(2, 4),
]

export const nameOfPair = (pair: readonly DrivenSubject[]): string =>
  `${pair.map(({ assistant }) => assistant).join(' and ')}: the same task compared`

/** Both do the same task; their diffs, checks and costs are side by side. */
export const playComparison = async (
  machine: Machine,
  model: Model,
  pair: readonly DrivenSubject[],
): Promise<void> => {
  const task = nextTask()
  model.set(task, {
    steps: [
      (folder, tools) => {
        const writes = pair.map(({ assistant, write }) => write(folder, 'who.txt', assistant))
        const own = writes.find((move) => move.type === 'tool' && tools.includes(move.name))
        return own ?? { type: 'text', text: 'There is no tool to write with.' }
      },
      () => ({ type: 'text', text: 'It is written.' }),
    ],
  })
  const { code, stdout, stderr } = await machine.steward(
    ...['sessions', 'compare', ...pair.flatMap(({ assistant }) => ['--assistant', assistant])],
    ...['--allow', 'edit', 'execute', '--check', 'cat who.txt', '--json', '--', `${task} say who`],
  )
  if (code !== 0) throw new Error(`sessions compare: ${stderr}`)
  const { id, sides } = comparison.parse(JSON.parse(stdout))
  const found = sides.map(({ session, diff }) => ({
    assistant: session.assistant,
    state: session.state,
    check: session.result?.check?.output,
    isInDiff: diff?.includes(`+${session.assistant}`),
    hasCost: session.costUsd !== null,
  }))
  const wanted = pair.map(({ assistant }) => ({
    ...{ assistant, state: 'idle', check: assistant, isInDiff: true },
    hasCost: assistant === 'claude' || assistant === 'opencode',
  }))
  expectSame({ found }, { found: wanted })
  const shown = await machine.steward('sessions', 'compare', '--show', id)
  for (const text of [...pair.map(({ assistant }) => `+${assistant}`), 'Nothing was merged'])
    if (!shown.stdout.includes(text)) throw new Error(`"${text}" is not shown: ${shown.stdout}`)
}
