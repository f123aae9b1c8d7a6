import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { createSecurityAddCommand } from './add.ts'
import { createSecurityEventsCommand } from './events.ts'
import { createSecurityRemoveCommand } from './remove.ts'
import { createSecurityShadowCommand } from './shadow.ts'
import { createSecurityShowCommand } from './show.ts'
import { createSecurityTryCommand } from './try.ts'
import { createSecurityUndoCommand } from './undo.ts'
import { createSecurityVerifyCommand } from './verify.ts'

const HELP = `
Examples:
  steward security try --input 'git push --force'        what the guards would say
  steward security show                                  the policy that holds
  steward security add blocked '^terraform destroy' --reason 'tears everything down'
  steward security add readOnly ~/contracts
  steward security remove blocked '^terraform destroy'
  steward security shadow 'bash.blocked: ^mkfs'          only counts what it would do
  steward security undo                                  takes the last change back
  steward security events --limit 20                     what the guards did
  steward security verify                                whether the log is as it was written

The policy is USER/SECURITY/PATTERNS.yaml of the data home; changes hold from the next tool call on.
`

export const createSecurityCommand = (io: Io): Command =>
  new Command('security')
    .description('What the guards let pass, and why: try, change and look back.')
    .addCommand(createSecurityTryCommand(io))
    .addCommand(createSecurityShowCommand(io))
    .addCommand(createSecurityAddCommand(io))
    .addCommand(createSecurityRemoveCommand(io))
    .addCommand(createSecurityShadowCommand(io))
    .addCommand(createSecurityUndoCommand(io))
    .addCommand(createSecurityEventsCommand(io))
    .addCommand(createSecurityVerifyCommand(io))
    .addHelpText('after', HELP)
