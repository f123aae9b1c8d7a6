import { PATH_TIERS, PATTERN_SECTIONS, type SecurityPolicy } from '@steward/contract'

/**
 * Renders a policy as YAML, one rule per line, without a YAML library, because the hook program
 * loads none.
 */
export const renderPolicy = ({ version, philosophy, bash, paths }: SecurityPolicy): string =>
  [
    `version: ${quote(version)}`,
    'philosophy:',
    `  mode: ${quote(philosophy.mode ?? '')}`,
    `  principle: ${quote(philosophy.principle ?? '')}`,
    '',
    'bash:',
    ...PATTERN_SECTIONS.flatMap((section) =>
      renderList(
        section,
        bash[section].map(
          ({ pattern, reason, shadow }) =>
            `{ pattern: ${quote(pattern)}, reason: ${quote(reason)}${shadow ? ', shadow: true' : ''} }`,
        ),
      ),
    ),
    '',
    'paths:',
    ...PATH_TIERS.flatMap((tier) => renderList(tier, paths[tier].map(quote))),
    '',
    'projects: {}',
    '',
  ].join('\n')

const renderList = (key: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [`  ${key}: []`] : [`  ${key}:`, ...lines.map((line) => `    - ${line}`)]

/** Unquoted if YAML reads the same text back, otherwise in quotes that keep backslashes. */
const quote = (text: string): string =>
  /^[A-Za-z~/][\w ()./~-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|~)$/i.test(text)
    ? text
    : `'${text.replaceAll("'", "''")}'`
