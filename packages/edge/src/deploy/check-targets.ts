import { nearestHint, StewardError } from '@steward/contract'
import type { WorkerToDeploy } from './worker-to-deploy.ts'

/** Spec 1, Errors: the target of a service binding is deployed already, or part of the same deploy. */
export const checkTargets = (
  workers: readonly WorkerToDeploy[],
  deployed: ReadonlySet<string>,
): StewardError[] => {
  const known = new Set([...deployed, ...workers.map(({ configuration }) => configuration.name)])
  return workers.flatMap(({ configuration: { name, services } }) =>
    services
      .filter(({ service }) => !known.has(service))
      .map(({ binding, service }) => {
        const add = `deploy ${service.replace(/^exec-/, '')} first, or together with it`
        const reason = `${name} binds ${binding} to ${service}, which is not deployed${nearestHint(service, known)}: ${add}`
        return new StewardError('binding_missing', { reason, worker: name, target: service })
      }),
  )
}
