import {
  PATH_TIERS,
  PATTERN_SECTIONS,
  type ProjectRules,
  type SecurityPolicy,
} from '@steward/contract'
import { findProblem } from '../patterns/compile-pattern.ts'

/** A mistake that leaves the policy usable, with its location. */
export interface PolicyWarning {
  key: string
  line: number
  message: string
}

type LineOf = (path: readonly PropertyKey[]) => number

/** Finds entries that are valid but surely not intended. */
export const findWarnings = (policy: SecurityPolicy, lineOf: LineOf): PolicyWarning[] => [
  ...findInRules(policy, [], lineOf),
  ...Object.entries(policy.projects).flatMap(([name, rules]) => [
    ...findInRules(rules, ['projects', name], lineOf),
    ...findUnread(rules, ['projects', name], lineOf),
  ]),
]

const findInRules = (
  { bash, paths }: Pick<ProjectRules, 'bash' | 'paths'>,
  above: readonly string[],
  lineOf: LineOf,
): PolicyWarning[] => {
  const prefix = above.map((name) => `${name}.`).join('')
  const patterns = PATTERN_SECTIONS.flatMap((section) =>
    bash[section].flatMap(({ pattern }, index) => {
      const problem = findProblem(pattern)
      if (problem === undefined) return []
      return [
        {
          key: `${prefix}bash.${section}[${index}].pattern`,
          line: lineOf([...above, 'bash', section, index]),
          message: `${pattern} is no usable regular expression (${problem}); it is looked for as plain text`,
        },
      ]
    }),
  )
  const globs = PATH_TIERS.flatMap((tier) =>
    paths[tier].flatMap((glob, index) => {
      if (!/^!?(\*\*|\/)$/.test(glob)) return []
      return [
        {
          key: `${prefix}paths.${tier}[${index}]`,
          line: lineOf([...above, 'paths', tier, index]),
          message: `${glob} is every path there is`,
        },
      ]
    }),
  )
  return [...patterns, ...globs]
}

const READ = new Set(['path', 'bash', 'paths'])

/** Fields of older versions, which are kept but have no effect. */
const findUnread = (
  rules: ProjectRules,
  above: readonly string[],
  lineOf: LineOf,
): PolicyWarning[] =>
  Object.keys(rules)
    .filter((key) => !READ.has(key))
    .map((key) => ({
      key: [...above, key].join('.'),
      line: lineOf([...above, key]),
      message: 'is not evaluated; a project takes path, bash and paths',
    }))
