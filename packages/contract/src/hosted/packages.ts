import { z } from 'zod'
import { HOSTED_LIMITS } from './hosted-limits.ts'

/** In installation order. */
export const PACKAGE_MANAGERS = ['apt', 'cargo', 'gem', 'go', 'npm', 'pip'] as const

const listed = z.array(z.string())
export const environmentPackages = z.object({
  type: z.literal('packages'),
  apt: listed,
  cargo: listed,
  gem: listed,
  go: listed,
  npm: listed,
  pip: listed,
})
export type EnvironmentPackages = z.infer<typeof environmentPackages>

/**
 * A package in its manager's syntax, version included. A leading dash is refused because the
 * installer would read it as an option.
 */
const packageName = z
  .string()
  .max(256)
  .regex(/^[^\s-]\S*$/, 'one package, without spaces and not starting with a dash')
const given = z.array(packageName).max(HOSTED_LIMITS.environmentPackages).nullish()
const NO_APT =
  'apt needs root, which no sandbox has: install these packages on this machine, whose /usr every sandbox sees'
export const packagesGiven = z.strictObject({
  type: z.literal('packages').optional(),
  apt: given.refine((names) => !names || names.length === 0, NO_APT),
  cargo: given,
  gem: given,
  go: given,
  npm: given,
  pip: given,
})
export type PackagesGiven = z.infer<typeof packagesGiven>

export const NO_PACKAGES: EnvironmentPackages = {
  type: 'packages',
  apt: [],
  cargo: [],
  gem: [],
  go: [],
  npm: [],
  pip: [],
}

/** The packages after an update: omitted keeps, null empties, a list replaces. */
export const resolvePackages = (
  sent: PackagesGiven | null | undefined,
  before: EnvironmentPackages,
): EnvironmentPackages => {
  if (sent === undefined) return before
  if (sent === null) return NO_PACKAGES
  const pick = (list: string[] | null | undefined, old: string[]): string[] =>
    list === undefined ? old : (list ?? [])
  return {
    type: 'packages',
    apt: pick(sent.apt, before.apt),
    cargo: pick(sent.cargo, before.cargo),
    gem: pick(sent.gem, before.gem),
    go: pick(sent.go, before.go),
    npm: pick(sent.npm, before.npm),
    pip: pick(sent.pip, before.pip),
  }
}
