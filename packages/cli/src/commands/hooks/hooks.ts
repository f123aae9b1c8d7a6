import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { createHooksInstallCommand } from './install.ts'
import { createHooksStatusCommand } from './status.ts'
import { createHooksUninstallCommand } from './uninstall.ts'

const HELP = `
Examples:
  steward hooks install                       every assistant found here; shows the changes and asks
  steward hooks install --diff                shows every changed line
  steward hooks install --host claude --yes
  steward hooks install --host gemini --project ~/projects/site
  steward hooks status
  steward hooks uninstall                     restore the files exactly

Assistants: claude, codex, gemini, cursor, opencode. Your own hooks stay as they are.
`

export const createHooksCommand = (io: Io): Command =>
  new Command('hooks')
    .description('Install, show and remove the hooks of your assistants')
    .addCommand(createHooksStatusCommand(io), { isDefault: true })
    .addCommand(createHooksInstallCommand(io))
    .addCommand(createHooksUninstallCommand(io))
    .addHelpText('after', HELP)
