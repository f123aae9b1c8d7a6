import { PACKAGE_MANAGERS, StewardError } from '@steward/contract'
import type { TargetFlags } from './target.ts'
import type { NewEnvironment } from './types.ts'

export interface EnvironmentFlags extends TargetFlags {
  name?: string
  description?: string
  selfHosted?: true
  allowHost?: string[]
  offline?: true
  packageManagers?: true
  package?: string[]
  file?: string
}

type Manager = (typeof PACKAGE_MANAGERS)[number]

/** The environment configuration from flags; undefined without flags. */
export const configOf = (flags: EnvironmentFlags): NewEnvironment['config'] | undefined => {
  if (flags.selfHosted) return { type: 'self_hosted' }
  const isLimited = flags.offline === true || flags.allowHost !== undefined
  if (flags.packageManagers && !isLimited) {
    throw new StewardError('invalid_input', {
      subject: '--package-managers',
      reason: 'it needs --allow-host or --offline; without them all hosts are reachable',
      field: 'packageManagers',
    })
  }
  const packages = flags.package === undefined ? undefined : groupPackages(flags.package)
  if (!isLimited && packages === undefined) return undefined
  return {
    type: 'cloud',
    ...(isLimited
      ? {
          networking: {
            type: 'limited',
            allowed_hosts: flags.allowHost ?? [],
            allow_package_managers: flags.packageManagers === true,
          },
        }
      : {}),
    ...(packages === undefined ? {} : { packages }),
  }
}

const isManager = (word: string): word is Manager =>
  PACKAGE_MANAGERS.some((manager) => manager === word)

/** Groups `pip:pandas==2.2` and similar by manager. */
const groupPackages = (given: readonly string[]): Partial<Record<Manager, string[]>> => {
  const packages: Partial<Record<Manager, string[]>> = {}
  for (const word of given) {
    const [, manager = '', name] = /^([a-z]+):(.+)$/.exec(word) ?? []
    if (!isManager(manager) || name === undefined) {
      throw new StewardError('invalid_input', {
        subject: `--package ${word}`,
        reason: `it must be MANAGER:NAME, with one of ${PACKAGE_MANAGERS.join(', ')}`,
        field: 'package',
      })
    }
    packages[manager] = [...(packages[manager] ?? []), name]
  }
  return packages
}
