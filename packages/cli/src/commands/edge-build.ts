import { resolve } from 'node:path'
import { StewardError } from '@steward/contract'
import { buildWorkers, type Mistake } from '@steward/edge'
import { Command } from 'commander'
import { readEdgeCatalog } from '../edge/read-edge-catalog.ts'
import { renderBuild } from '../edge/render-build.ts'
import { findRuntimeModules } from '../edge/runtime-modules.ts'
import { EXIT } from '../errors/exit-codes.ts'
import { reportError } from '../errors/report-error.ts'
import type { Io } from '../io.ts'
import { cleanText } from '../output/clean-text.ts'
import { createLiveLine } from '../output/live-line.ts'
import { printJson } from '../output/print-json.ts'
import { findInstallation } from '../setup/installation.ts'
import { withSteward } from '../setup/open-local.ts'

interface BuildFlags {
  out: string
  only?: string[]
  json?: true
}

const HELP = `
Examples:
  steward edge build                                   everything, into workers/
  steward edge build --only A_SUMMARIZE P_ARTICLE_DIGEST
  steward edge build --out /tmp/workers --json

Worker directories are made from action.json, pipeline and flow definitions alone and are never
edited by hand. What did not change is not built again; what is gone is removed. A mistake in any
definition stops the build before anything is written, and all of them are named.
`

export const createEdgeBuildCommand = (io: Io): Command =>
  new Command('build')
    .description('Bundles actions, pipelines and flows into worker directories.')
    .option('--out <dir>', 'where the worker directories go', 'workers')
    .option('--only <names...>', 'only these actions, pipelines and flows')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((flags: BuildFlags) =>
      withSteward(io, async ({ catalog, settings, home }) => {
        const live = createLiveLine(io.err, io.now)
        live.begin('build', 'building')
        try {
          const outcome = await buildWorkers({
            catalog: readEdgeCatalog(catalog, home.user.flows),
            resources: settings.edge.resources,
            out: resolve(io.cwd, flags.out),
            modules: findRuntimeModules(findInstallation().root),
            ...(flags.only === undefined ? {} : { only: flags.only }),
            onProgress: ({ name, status, done, total }) => {
              if (status === 'built') live.print(`[${done}/${total}] ${name} built`)
            },
          })
          live.close()
          if (!outcome.ok) return reportMistakes(io, outcome.mistakes, flags.json === true)
          if (flags.json) printJson(io.out, outcome.report)
          else io.out.write(renderBuild(outcome.report, io.out))
        } finally {
          live.close()
        }
      }),
    )

const reportMistakes = (io: Io, mistakes: readonly Mistake[], json: boolean): void => {
  if (json) printJson(io.out, { success: false, mistakes })
  for (const { subject, reason } of mistakes) {
    io.err.write(`${io.err.paint.red(subject)}: ${cleanText(reason)}\n`)
  }
  const count = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`
  const error = new StewardError('invalid_definition', {
    file: 'edge build',
    reason: `${count} above; nothing was written`,
  })
  reportError(io, error)
  io.exitCode = EXIT.usage
}
