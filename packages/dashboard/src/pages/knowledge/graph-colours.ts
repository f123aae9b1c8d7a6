const COLOURS: Readonly<Record<string, string>> = {
  person: 'var(--phase-build)',
  company: 'var(--phase-execute)',
  research: 'var(--phase-learn)',
}

/** The colour of a kind of note, on dots and in the legend. */
export const colourOf = (category: string): string =>
  COLOURS[category.toLowerCase()] ?? 'var(--accent)'
