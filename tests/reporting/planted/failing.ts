describe('A planted test', () => {
  it('fails', () => {
    throw new Error('planted');
  });
});
