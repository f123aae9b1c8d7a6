/** For options that may be given several times. */
export const collectOption = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  value,
]
