import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { requireEdge } from '../../setup/require-edge.ts'
import { createSecretsGenerateCommand } from './generate.ts'
import { createSecretsSetCommand } from './set.ts'
import { createSecretsStatusCommand } from './status.ts'

const HELP = `
Examples:
  steward secrets status                                   show missing secrets
  steward secrets generate                                 set one AUTH_TOKEN on all workers
  steward secrets set LLM_API_KEY --all                    ask for the value without showing it
  printf %s "$KEY" | steward secrets set MAIL_API_KEY --worker a-send-email
`

export const createSecretsCommand = (io: Io): Command =>
  new Command('secrets')
    .hook('preAction', () => requireEdge(io))
    .description('Manage the secrets of deployed workers')
    .addCommand(createSecretsStatusCommand(io), { isDefault: true })
    .addCommand(createSecretsSetCommand(io))
    .addCommand(createSecretsGenerateCommand(io))
    .addHelpText('after', HELP)
