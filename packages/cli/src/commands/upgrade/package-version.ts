import { isJsonObject, parseJson, StewardError, unwrap } from '@steward/contract'

/** A program and its output; throws with its standard error if it fails. */
export type RunProgram = (argv: readonly string[]) => Promise<{ stdout: string }>

const NAME = 'steward'

/** Name and version of a package file, or of a package in the registry. */
export const readPackageVersion = async (
  wanted: { file: string } | { spec: string },
  run: RunProgram,
): Promise<string> => {
  const { stdout } =
    'file' in wanted
      ? await run(['tar', '-xOzf', wanted.file, 'package/package.json'])
      : await run(['npm', 'view', wanted.spec, 'name', 'version', 'bin', '--json'])
  const subject = 'file' in wanted ? wanted.file : wanted.spec
  const about = unwrap(parseJson(stdout, subject))
  if (!isJsonObject(about) || typeof about.version !== 'string' || !hasProgram(about.bin)) {
    const reason = 'it is not a package of Steward'
    throw new StewardError('package_unusable', { package: subject, reason })
  }
  return about.version
}

const hasProgram = (bin: unknown): boolean => isJsonObject(bin) && NAME in bin

/** Whether a version comes after, before or with another; a pre-release comes before its release. */
export const compareVersions = (a: string, b: string): number => {
  const [left, right] = [partsOf(a), partsOf(b)]
  for (const index of [0, 1, 2] as const) {
    if (left.numbers[index] !== right.numbers[index]) {
      return (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0)
    }
  }
  if (left.label === right.label) return 0
  if (left.label === '') return 1
  if (right.label === '') return -1
  return left.label < right.label ? -1 : 1
}

const partsOf = (version: string) => {
  const [numbers = '', ...labels] = version.split('-')
  return { numbers: numbers.split('.').map(Number), label: labels.join('-') }
}
