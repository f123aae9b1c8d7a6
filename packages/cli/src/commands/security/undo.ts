import { StewardError } from '@steward/contract'
import { lastSecurityChange, undoSecurityChange } from '@steward/platform'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printChange } from './change-policy.ts'
import { openSecurity } from './open-security.ts'

export const createSecurityUndoCommand = (io: Io): Command =>
  new Command('undo')
    .description('Takes a change of the policy or the rules back: the last one unless named.')
    .argument('[change]', 'the name that the change was given')
    .option('--json', 'print JSON')
    .action(async (change: string | undefined, { json }: { json?: true }) => {
      const { home, ports } = await openSecurity(io)
      const id = change ?? (await lastSecurityChange(home))
      if (id === undefined) {
        throw new StewardError('not_found', { what: 'change of the policy', name: '(none yet)' })
      }
      printChange(io, 'undo', id, await undoSecurityChange(home, id, ports), json === true)
    })
