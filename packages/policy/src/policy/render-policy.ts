import { PATH_TIERS, PATTERN_SECTIONS, type SecurityPolicy } from '@steward/contract'

/** A policy as YAML, one rule to a line. Written by hand: whoever only judges needs no YAML library. */
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

/** Plain where YAML takes it for the same text, else in quotes that leave backslashes alone. */
const quote = (text: string): string =>
  /^[A-Za-z~/][\w ()./~-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|~)$/i.test(text)
    ? text
    : `'${text.replaceAll("'", "''")}'`
