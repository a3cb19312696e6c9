/** A document (PDF) of so many empty pages. */
export function pdf(pages: number): Buffer {
  const kids = Array.from({ length: pages }, (_, page) => `${page + 3} 0 R`);
  const leaves = kids.map(
    (_, page) => `${page + 3} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj`,
  );
  return Buffer.from(
    [
      '%PDF-1.4',
      '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
      `2 0 obj<</Type/Pages/Kids[${kids.join(' ')}]/Count ${pages}>>endobj`,
      ...leaves,
      'trailer<</Root 1 0 R>>',
    ].join('\n'),
  );
}
