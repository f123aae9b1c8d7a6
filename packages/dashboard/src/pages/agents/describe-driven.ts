import type { DrivenSession } from '@steward/contract'
import { formatCost, formatDuration } from '../../ui/format.ts'

export const TONES: Readonly<
  Record<DrivenSession['state'], 'neutral' | 'info' | 'good' | 'warn' | 'bad'>
> = {
  starting: 'info',
  working: 'info',
  idle: 'good',
  stopped: 'warn',
  failed: 'bad',
  interrupted: 'bad',
}

export const isBusy = ({ state }: DrivenSession): boolean =>
  state === 'starting' || state === 'working'

/** Empty if the assistant reports no cost. */
export const costOf = ({ costUsd }: DrivenSession): string =>
  costUsd === null ? '' : formatCost(costUsd)

/** The facts that a person compares, in a fixed order. */
export const factsOf = (session: DrivenSession): ReadonlyArray<[name: string, value: string]> => {
  const { workedMs, turns, toolCalls, branch, copy, folder, result, check } = session
  return [
    ['Time', formatDuration(workedMs)],
    ['Cost', costOf(session) || 'not reported'],
    ['Work', `${plural(turns, 'turn')}, ${plural(toolCalls, 'tool call')}`],
    ['Changes', result?.diffStat?.split('\n').at(-1)?.trim() || 'none'],
    ['Check', check === null ? 'none' : describeCheck(check, result?.check?.ok)],
    copy ? ['Patch', result?.patch ?? 'none'] : ['Branch', branch ?? 'none'],
    ['Folder', folder],
  ]
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

const describeCheck = (command: string, isGood: boolean | undefined): string => {
  if (isGood === undefined) return `${command}: not run`
  return `${command}: ${isGood ? 'passed' : 'failed'}`
}
