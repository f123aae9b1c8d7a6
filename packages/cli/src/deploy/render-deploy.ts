import type { DeployedWorker, DeployPlan } from '@steward/edge'
import type { Sink } from '../io.ts'
import { formatTable } from '../output/table.ts'

/** What would happen, in order. */
export const renderPlan = ({ steps }: DeployPlan, { paint }: Sink): string =>
  formatTable(
    steps.map(({ worker, reason }, index) => [
      `${index + 1}.`,
      reason === 'unchanged' ? paint.dim('keep') : paint.green('upload'),
      worker.configuration.name,
      reason,
      describeParts(worker.configuration),
    ]),
  )

const describeParts = ({
  services,
  triggers,
  queues,
}: DeployPlan['steps'][number]['worker']['configuration']): string =>
  [
    ...services.map(({ service }) => `-> ${service}`),
    ...triggers.crons.map((cron) => `cron "${cron}"`),
    ...queues.consumers.map(({ queue }) => `reads ${queue}`),
    ...queues.producers.map(({ queue }) => `sends to ${queue}`),
  ].join(', ')

/** What happened to each worker, and how to take it back. */
export const renderDeployed = (workers: readonly DeployedWorker[], { paint }: Sink): string => {
  const rows = workers.map(({ worker, status, reason, url }) => [
    status === 'deployed' ? paint.green('deployed') : paint.dim('unchanged'),
    worker,
    status === 'deployed' ? reason : '',
    url ?? '',
  ])
  const uploaded = workers.filter(({ status }) => status === 'deployed')
  const hints = uploaded.flatMap((each) => rollbackOf(each) ?? [])
  return [
    formatTable(rows),
    `${uploaded.length} deployed, ${workers.length - uploaded.length} unchanged\n`,
    ...(hints.length === 0 ? [] : ['to go back to the version before:\n']),
    ...hints.map((hint) => `  ${hint}\n`),
  ].join('')
}

/** The command that brings the version before back; a first upload has none. */
export const rollbackOf = ({ worker, previousVersion }: DeployedWorker): string | undefined =>
  previousVersion === null ? undefined : `npx wrangler rollback ${previousVersion} --name ${worker}`
