import { goTo } from '../router/router.svelte.ts'
import type { Command } from './commands.svelte.ts'

/** A command that goes to an address. */
export const goCommand = (command: Omit<Command, 'run'> & { href: string }): Command => ({
  ...command,
  run: () => goTo(command.href),
})
