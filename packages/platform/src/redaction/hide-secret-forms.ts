/** What looks like a secret though nobody told us of it: commands hold tokens of all kinds. */
const SECRET_FORMS: ReadonlyArray<[RegExp, string]> = [
  [
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    '[redacted]',
  ],
  [/\b((?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi, '$1[redacted]'],
  [/\b(?:sk|pk|rk)-[\w-]{16,}/g, '[redacted]'],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_)[\w-]{10,}/g, '[redacted]'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, '[redacted]'],
  [/\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+/g, '[redacted]'],
  [
    /\b([\w-]*(?:api[_-]?key|secret|token|passw(?:or)?d)["']?\s*[=:]\s*\\?["']?)(?!\$|\[redacted)[^\s"'\\&;]{6,}/gi,
    '$1[redacted]',
  ],
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:)[^\s/@]+@/gi, '$1[redacted]@'],
]

/** Takes out of a text what has the form of a secret. */
export const hideSecretForms = (text: string): string =>
  SECRET_FORMS.reduce((clean, [form, instead]) => clean.replace(form, instead), text)
