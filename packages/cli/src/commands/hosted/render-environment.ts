import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import type { Environment } from './types.ts'

/** One line per environment. */
export const renderEnvironments = (found: readonly Environment[], paint: Paint): string => {
  if (found.length === 0) return `none yet: ${COMMAND} hosted init creates a first one\n`
  return formatTable(
    found.map((environment) => [
      environment.id,
      environment.archived_at === null ? describeNetwork(environment) : paint.dim('archived'),
      formatTime(environment.updated_at),
      cleanText(environment.name),
    ]),
  )
}

export const renderEnvironment = (environment: Environment, paint: Paint): string => {
  const { config } = environment
  const packages =
    config.type === 'self_hosted'
      ? []
      : Object.entries(config.packages).flatMap(([manager, names]) =>
          Array.isArray(names) && names.length > 0
            ? [['packages', cleanText(`${manager}: ${names.join(', ')}`)]]
            : [],
        )
  const rows = [
    ['network', describeNetwork(environment)],
    ...packages,
    ['updated', formatTime(environment.updated_at)],
    ...(environment.archived_at === null
      ? []
      : [['archived', formatTime(environment.archived_at)]]),
  ]
  return `${paint.bold(environment.id)}  ${cleanText(environment.name)}\n${formatTable(rows)}`
}

const describeNetwork = ({ config }: Environment): string => {
  if (config.type === 'self_hosted') return 'a worker of your own'
  if (config.networking.type === 'unrestricted') return 'any public host'
  const hosts = [
    ...config.networking.allowed_hosts,
    ...(config.networking.allow_package_managers ? ['package managers'] : []),
  ]
  return hosts.length === 0 ? 'nothing outside' : cleanText(`only ${hosts.join(', ')}`)
}
