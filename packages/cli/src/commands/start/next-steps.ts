import { COMMAND } from '../../setup/command-name.ts'

/** Commands to try after the first start; a test runs each of them, in this order. */
export const NEXT_STEPS: readonly { args: readonly string[]; does: string }[] = [
  { args: ['open'], does: 'open the dashboard, signed in' },
  { args: ['usage'], does: 'what your assistants cost' },
  { args: ['hooks', 'install'], does: 'watch and guard your assistants live' },
  {
    args: ['new', 'flow', '--template', 'morning-paper'],
    does: 'a flow of your own, from a template',
  },
  { args: ['trigger', 'F_MORNING_PAPER'], does: 'run it now' },
  { args: ['runs'], does: 'what ran, and how it went' },
  { args: ['service', 'install'], does: 'keep running in the background; replaces this one' },
  { args: ['doctor'], does: 'check the installation' },
]

/** Omits connecting assistants if they are connected. */
export const renderNextSteps = (isConnected: boolean): string => {
  const lines = NEXT_STEPS.filter(({ args }) => !isConnected || args[0] !== 'hooks').map(
    ({ args, does }) => ({ line: `${COMMAND} ${args.join(' ')}`, does }),
  )
  const width = Math.max(...lines.map(({ line }) => line.length))
  return `\nWhat to try next, in another terminal:\n${lines
    .map(({ line, does }) => `  ${line.padEnd(width)}  ${does}\n`)
    .join('')}`
}
