import { Command } from 'commander'
import type { Io } from '../io.ts'
import { createSecretsGenerateCommand } from './secrets-generate.ts'
import { createSecretsSetCommand } from './secrets-set.ts'
import { createSecretsStatusCommand } from './secrets-status.ts'

const HELP = `
Examples:
  steward secrets status                                   what each worker still lacks
  steward secrets generate                                 one AUTH_TOKEN for all workers
  steward secrets set LLM_API_KEY --all                    asks for the value, shows nothing of it
  printf %s "$KEY" | steward secrets set MAIL_API_KEY --worker a-send-email
`

export const createSecretsCommand = (io: Io): Command =>
  new Command('secrets')
    .description("Sets secrets of deployed workers in the platform's secret store.")
    .addCommand(createSecretsStatusCommand(io), { isDefault: true })
    .addCommand(createSecretsSetCommand(io))
    .addCommand(createSecretsGenerateCommand(io))
    .addHelpText('after', HELP)
