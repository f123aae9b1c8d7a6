import { until } from '../machine.ts'
import { assistantIn } from './processes.ts'
import type { Stage } from './stage.ts'

/** When something happens: before the model answers, at a permission, after a tool, after the turn. */
export const POINTS = [
  'before the first answer',
  'at a permission',
  'after an edit',
  'between turns',
] as const
export type Point = (typeof POINTS)[number]

export const DISTURBANCES = {
  'daemon killed': async ({ machine }: Stage) => {
    await machine.killDaemon()
    await machine.startDaemon()
  },
  'daemon stopped': async ({ machine }: Stage) => {
    await machine.killDaemon('SIGTERM')
    await machine.startDaemon()
  },
  'program killed': async (_: Stage, folder: string) => killAll(folder, 'program'),
  'children killed': async ({ subject }: Stage, folder: string) =>
    subject.isOneProcess ? killOnly(folder) : killAll(folder, 'children'),
} as const
export type Disturbance = keyof typeof DISTURBANCES

/** Hooks are children for a moment. */
const killOnly = async (folder: string): Promise<void> => {
  await until('it has no children', () => assistantIn(folder).children.length === 0)
  await killAll(folder, 'program')
}

const killAll = async (folder: string, which: 'program' | 'children'): Promise<void> => {
  const pids = assistantIn(folder)[which]
  if (pids.length === 0) throw new Error(`it has no ${which} to kill`)
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  await until('they are dead', () => {
    const { program, children } = assistantIn(folder)
    return pids.every((pid) => ![...program, ...children].includes(pid))
  })
}
