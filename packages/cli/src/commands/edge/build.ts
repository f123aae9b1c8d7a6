import { resolve } from 'node:path'
import { StewardError } from '@steward/contract'
import {
  type BuildReport,
  buildWorkers,
  EDGE_LIBRARY,
  type Mistake,
  readEdgeCatalog,
  resourcesOf,
} from '@steward/edge'
import { Command } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import { reportError } from '../../errors/report-error.ts'
import type { Io, Sink } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { cleanText } from '../../output/clean-text.ts'
import { createLiveLine } from '../../output/live-line.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { requireEdge } from '../../setup/require-edge.ts'

interface BuildFlags {
  out: string
  only?: string[]
  json?: true
}

const HELP = `
Examples:
  steward edge build                                   build everything into workers/
  steward edge build --only A_SUMMARIZE P_ARTICLE_DIGEST
  steward edge build --out /tmp/workers --json

Worker directories are generated from action.json, pipeline and flow definitions; do not edit them.
Unchanged workers are not rebuilt, and workers of deleted definitions are removed. A mistake in any
definition stops the build before anything is written; all mistakes are reported.
`

export const createEdgeBuildCommand = (io: Io): Command =>
  new Command('build')
    .hook('preAction', () => requireEdge(io))
    .description('Bundle actions, pipelines and flows into worker directories')
    .option('--out <dir>', 'output folder', 'workers')
    .option('--only <names...>', 'build only these actions, pipelines and flows')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((flags: BuildFlags) =>
      withLocalRuntime(
        io,
        async ({ catalog, settings, home }) => {
          const live = createLiveLine(io.err, io.now)
          live.begin('build', 'building')
          try {
            const outcome = await buildWorkers({
              catalog: readEdgeCatalog(catalog, home.user.flows),
              resources: resourcesOf(settings.edge),
              out: resolve(io.cwd, flags.out),
              only: flags.only,
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
        },
        EDGE_LIBRARY,
      ),
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

/** One line per worker, then removed, skipped and warnings, then the totals. */
const renderBuild = (report: BuildReport, { paint }: Sink): string => {
  const { workers, removed, skipped, warnings } = report
  const rows = workers.map(({ name, worker, status, gzipBytes }) => [
    status === 'built' ? paint.green('built') : paint.dim('unchanged'),
    name,
    worker,
    `${Math.ceil(gzipBytes / 1000)} kB compressed`,
  ])
  const others = [
    ...removed.map((name) => `${paint.yellow('removed')}  ${name}\n`),
    ...skipped.map(({ name, reason }) => `${paint.yellow('skipped')}  ${name}: ${reason}\n`),
    ...warnings.map((warning) => `${paint.yellow('warning')}  ${warning}\n`),
  ]
  return `${formatTable(rows)}${others.join('')}${summary(report)}\n`
}

const summary = ({ out, workers, removed, skipped }: BuildReport): string => {
  const built = workers.filter(({ status }) => status === 'built').length
  const counts = [
    `${built} built`,
    `${workers.length - built} unchanged`,
    ...(removed.length === 0 ? [] : [`${removed.length} removed`]),
    ...(skipped.length === 0 ? [] : [`${skipped.length} skipped`]),
  ]
  return `${counts.join(', ')} in ${out}`
}
