/** How the stored copies of pictures are called; the network has no other kind. */
export const STORED_PICTURE = { fileName: 'picture.jpg', mimeType: 'image/jpeg' } as const;
