import { Command } from 'commander'
import { askConsent } from '../../input/ask-consent.ts'
import type { Io } from '../../io.ts'
import { describeEdgeParts, edgePartsOf, installParts } from '../../setup/require-edge.ts'

const HELP = `
Examples:
  steward edge install          ask, then fetch the tools
  steward edge install --yes    fetch them without asking, for example in a script

The packed program contains everything but esbuild, workerd and wrangler. The versions and checksums
are those that this version of Steward was tested with. Another version of Steward fetches its own
and removes these. A clone has them already.
`

const IN_A_CLONE = 'nothing to do: this clone has the tools in node_modules\n'

export const createEdgeInstallCommand = (io: Io): Command =>
  new Command('install')
    .description('Fetch the tools that build, run and deploy workers')
    .option('--yes', 'do not ask')
    .addHelpText('after', HELP)
    .action(async (flags: { yes?: true }) => {
      const parts = edgePartsOf(io)
      if (parts === undefined) return io.out.write(IN_A_CLONE)
      if (parts.isInstalled) return io.out.write(`already installed in ${parts.folder}\n`)
      const question = `Fetch ${describeEdgeParts(parts)}?`
      if (flags.yes !== true && !(await askConsent(io, question))) {
        io.err.write('nothing was fetched\n')
        io.exitCode = 1
        return
      }
      await installParts(io, parts)
    })

export const createEdgeUninstallCommand = (io: Io): Command =>
  new Command('uninstall').description('Remove the tools that were fetched').action(async () => {
    const parts = edgePartsOf(io)
    if (parts === undefined) return io.out.write(IN_A_CLONE)
    const { removeEdgeParts } = await import('@steward/edge')
    const isRemoved = await removeEdgeParts(parts)
    io.out.write(isRemoved ? `removed ${parts.folder}\n` : 'nothing to do: not installed\n')
  })
