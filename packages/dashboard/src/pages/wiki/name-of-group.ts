/** What a group of documents is called; those of Steward itself lie under `docs`. */
export const nameOfGroup = (group: string): string =>
  group === 'docs' ? 'Steward' : group.charAt(0).toUpperCase() + group.slice(1)
