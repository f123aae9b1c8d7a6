/** Patterns of refusals. Anchored at the start, because an article may quote a refusal later. */
const REFUSALS = [
  /^(i['’]?m|i am) (really |very |so )?sorry\b/i,
  /^(sorry|unfortunately|apologies|i apologi[sz]e)\b.{0,60}\b(can(no|['’])t|unable|not able|won['’]t|don['’]t have)/is,
  /^(as|i['’]?m|i am) an? (ai|artificial intelligence|large language|language)( language)?( model| assistant)?\b/i,
  /^i (can(no|['’])?t|cannot|could not|couldn['’]t|won['’]t|will not|am unable to|am not able to|must decline|have to decline)\b/i,
  /^i['’]?m (unable|not able) to\b/i,
  /^i (do not|don['’]t) (have|see) (access|any|the)\b/i,
  /^(please|could you) (provide|share|paste|send)\b.{0,40}\b(article|content|text|link|transcript)/i,
  /^(there is )?no (article |text )?content (was |is |has been )?(provided|given|available)/i,
]

/** Whether a model's text is a refusal rather than an answer. */
export const isRefusal = (text: string): boolean => {
  const start = text.trim()
  return REFUSALS.some((pattern) => pattern.test(start))
}
