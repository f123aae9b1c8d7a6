import type { BuildReport } from '@steward/edge'
import type { Sink } from '../io.ts'
import { formatTable } from '../output/table.ts'

/** What a build did, for a person: each worker, then what else happened, then the sum. */
export const renderBuild = (report: BuildReport, { paint }: Sink): string => {
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
