import type { DeployedWorker, DeployPlan } from '@steward/edge/deploy'
import type { Sink } from '../../io.ts'
import { formatTable } from '../../output/table.ts'

/** The steps of a deploy in order. */
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

/** The result for each worker, and how to roll back. */
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
    ...(hints.length === 0 ? [] : ['to roll back to the previous version:\n']),
    ...hints.map((hint) => `  ${hint}\n`),
  ].join('')
}

/** The command that restores the previous version; undefined after a first upload. */
export const rollbackOf = ({ worker, previousVersion }: DeployedWorker): string | undefined =>
  previousVersion === null ? undefined : `npx wrangler rollback ${previousVersion} --name ${worker}`
